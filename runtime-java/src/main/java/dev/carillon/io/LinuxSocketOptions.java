package dev.carillon.io;

import java.net.SocketOption;
import java.time.Duration;

/**
 * Options of sockets that Linux has beyond {@link java.net.StandardSocketOptions}. They go to a bind or a connect in {@link
 * SocketOptions}, and to a living socket by its {@code option}.
 *
 * <p>An option of a listener is that of the connections that it accepts, where it makes sense for those.
 *
 * <p>An option that is a Duration takes whole seconds or milliseconds, as the kernel counts it; it refuses parts.
 *
 * <p><b>See:</b> socket(7), ip(7), ipv6(7), tcp(7).
 */
// r[impl io.options]
public final class LinuxSocketOptions {
    /** After how much silence TCP looks whether the other side is there, 1 s to 32,767 s; only with SO_KEEPALIVE. */
    public static final SocketOption<Duration> TCP_KEEPIDLE = new Option<>("TCP_KEEPIDLE", Duration.class);

    /** The time between two such looks, 1 s to 32,767 s. */
    public static final SocketOption<Duration> TCP_KEEPINTVL = new Option<>("TCP_KEEPINTVL", Duration.class);

    /** After so many looks without an answer the connection is over, 1 to 127. */
    public static final SocketOption<Integer> TCP_KEEPCNT = new Option<>("TCP_KEEPCNT", Integer.class);

    /** How long bytes may be under way without an answer until the connection is over, in ms; 0 leaves it to the kernel. */
    public static final SocketOption<Duration> TCP_USER_TIMEOUT = new Option<>("TCP_USER_TIMEOUT", Duration.class);

    /** Whether what came is acknowledged at once. The kernel goes back to its own ways at any time: set it after each read. */
    public static final SocketOption<Boolean> TCP_QUICKACK = new Option<>("TCP_QUICKACK", Boolean.class);

    /** Whether only full packets are sent, for 200 ms at most; false sends what is there. */
    public static final SocketOption<Boolean> TCP_CORK = new Option<>("TCP_CORK", Boolean.class);

    /** The largest packet that is announced to the other side, 88 to 32,767 bytes. A connection tells the one in use. */
    public static final SocketOption<Integer> TCP_MAXSEG = new Option<>("TCP_MAXSEG", Integer.class);

    /** The name of the algorithm against congestion, such as "cubic". */
    public static final SocketOption<String> TCP_CONGESTION = new Option<>("TCP_CONGESTION", String.class);

    /** With so many bytes or more that were not sent yet, a socket does not count as writable; 0 leaves it to the kernel. */
    public static final SocketOption<Integer> TCP_NOTSENT_LOWAT = new Option<>("TCP_NOTSENT_LOWAT", Integer.class);

    /**
     * A listener: a connection counts when its first bytes are there, or after this time, up to 32,767 s; 0 is off. The kernel
     * rounds it up to the times at which it repeats its answer.
     */
    public static final SocketOption<Duration> TCP_DEFER_ACCEPT = new Option<>("TCP_DEFER_ACCEPT", Duration.class);

    /** A listener: how many connections may come with bytes in their first packet; 0 is off. */
    public static final SocketOption<Integer> TCP_FASTOPEN = new Option<>("TCP_FASTOPEN", Integer.class);

    /**
     * An IPv6 socket: whether it leaves IPv4 alone. A socket is IPv6 by its address, such as {@code ::}. Only for bind and
     * connect. Without it the machine decides (net.ipv6.bindv6only).
     */
    public static final SocketOption<Boolean> IPV6_V6ONLY = new Option<>("IPV6_V6ONLY", Boolean.class);

    /** How many routers a packet may pass, 1 to 255; over IPv6 the hop limit. */
    public static final SocketOption<Integer> IP_TTL = new Option<>("IP_TTL", Integer.class);

    /** Whether it may bind to an address that no interface has (yet). */
    public static final SocketOption<Boolean> IP_FREEBIND = new Option<>("IP_FREEBIND", Boolean.class);

    /** Whether it may have any address, as a proxy does; needs CAP_NET_ADMIN or CAP_NET_RAW. */
    public static final SocketOption<Boolean> IP_TRANSPARENT = new Option<>("IP_TRANSPARENT", Boolean.class);

    /**
     * Whether a socket for datagrams that has joined nothing hears the groups that others on this machine have joined. Linux
     * says yes; the first {@link DatagramSocket#join} says no.
     */
    public static final SocketOption<Boolean> IP_MULTICAST_ALL = new Option<>("IP_MULTICAST_ALL", Boolean.class);

    /** A mark on each packet, for routes and filters; all 32 bits count. Needs CAP_NET_ADMIN, or CAP_NET_RAW from 5.17 on. */
    public static final SocketOption<Integer> SO_MARK = new Option<>("SO_MARK", Integer.class);

    /**
     * The name of the only interface that it uses; empty for any. To set the first one needs no capability from Linux 5.7 on; to
     * change it needs CAP_NET_RAW.
     */
    public static final SocketOption<String> SO_BINDTODEVICE = new Option<>("SO_BINDTODEVICE", String.class);

    /** The queue of its packets within the machine, 0 to 6; more needs CAP_NET_ADMIN. */
    public static final SocketOption<Integer> SO_PRIORITY = new Option<>("SO_PRIORITY", Integer.class);

    /** The processor on which the packets are to come in, for sockets that share a port; a connection tells where they did. */
    public static final SocketOption<Integer> SO_INCOMING_CPU = new Option<>("SO_INCOMING_CPU", Integer.class);

    private LinuxSocketOptions() {}

    /** Each is itself and no other, as those of the JDK are. */
    private static final class Option<T> implements SocketOption<T> {
        private final String name;
        private final Class<T> type;

        Option(String name, Class<T> type) {
            this.name = name;
            this.type = type;
        }

        @Override
        public String name() {
            return name;
        }

        @Override
        public Class<T> type() {
            return type;
        }

        @Override
        public String toString() {
            return name;
        }
    }
}

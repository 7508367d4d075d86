package dev.carillon.io;

import static dev.carillon.sys.layout.Constants.IPPROTO_IP;
import static dev.carillon.sys.layout.Constants.IPPROTO_IPV6;
import static dev.carillon.sys.layout.Constants.IPPROTO_TCP;
import static dev.carillon.sys.layout.Constants.SOL_SOCKET;

import dev.carillon.io.KnownOption.Places;
import dev.carillon.io.OptionForm.Count;
import dev.carillon.io.OptionForm.Flag;
import dev.carillon.io.OptionForm.Place;
import dev.carillon.io.OptionForm.Span;
import dev.carillon.io.SocketKind.Use;
import dev.carillon.sys.layout.Constants;
import java.net.SocketOption;
import java.net.StandardSocketOptions;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/** All options that sockets have. */
// r[impl io.options]
final class KnownOptions {
    private static final Set<Use> ALL = Set.of(Use.values());
    private static final Set<Use> TCP = Set.of(Use.LISTENER, Use.STREAM);
    private static final Set<Use> LISTENER = Set.of(Use.LISTENER);
    private static final Set<Use> STREAM = Set.of(Use.STREAM);
    private static final Set<Use> DATAGRAMS = Set.of(Use.DATAGRAMS);

    private static final int ANY = Integer.MAX_VALUE;

    /** MAX_TCP_KEEPIDLE and MAX_TCP_KEEPINTVL. */
    private static final int LONGEST_PAUSE = 32_767;

    /** MAX_TCP_KEEPCNT. */
    private static final int MOST_LOOKS = 127;

    /** TCP_MIN_MSS and MAX_TCP_WINDOW. */
    private static final int SMALLEST_PACKET = 88;

    private static final int LARGEST_PACKET = 32_767;

    private static final String MARKS = "a mark needs CAP_NET_ADMIN, or CAP_NET_RAW from Linux 5.17 on";
    private static final String DEVICES =
            "to change the interface of a socket needs CAP_NET_RAW, before Linux 5.7 also to set the"
                    + " first one; open another socket, or give the program that capability";
    private static final String QUEUES = "more than 6 needs CAP_NET_ADMIN";
    private static final String FOREIGN = "needs CAP_NET_ADMIN or CAP_NET_RAW";
    private static final String RESERVED =
            "that one needs CAP_NET_ADMIN; net.ipv4.tcp_allowed_congestion_control has those for everybody";

    private static final Map<SocketOption<?>, KnownOption<?>> KNOWN = known();

    private KnownOptions() {}

    /**
     * What is known of an option.
     *
     * @throws IllegalArgumentException if nothing is
     */
    static KnownOption<?> of(SocketOption<?> option) {
        KnownOption<?> known = KNOWN.get(Objects.requireNonNull(option, "option"));
        if (known == null) {
            throw new IllegalArgumentException(
                    "option=" + option.name() + ", a " + option.getClass().getName()
                            + ": not one that sockets have here; they have those of StandardSocketOptions and LinuxSocketOptions");
        }
        return known;
    }

    static Collection<KnownOption<?>> all() {
        return KNOWN.values();
    }

    private static Map<SocketOption<?>, KnownOption<?>> known() {
        Table table = new Table();
        common(table);
        tcp(table);
        ip(table);
        multicast(table);
        return Map.copyOf(table.rows);
    }

    private static void common(Table table) {
        Place receive = new Place(SOL_SOCKET, Constants.SO_RCVBUF);
        Place send = new Place(SOL_SOCKET, Constants.SO_SNDBUF);
        table.add(StandardSocketOptions.SO_RCVBUF, new Count(0, ANY), ALL, new Places(receive, receive, receive, null));
        table.add(StandardSocketOptions.SO_SNDBUF, new Count(0, ANY), ALL, new Places(send, send, send, null));
        table.add(StandardSocketOptions.SO_REUSEADDR, new Flag(), ALL, socket(Constants.SO_REUSEADDR));
        table.add(StandardSocketOptions.SO_REUSEPORT, new Flag(), ALL, socket(Constants.SO_REUSEPORT));
        table.add(StandardSocketOptions.SO_KEEPALIVE, new Flag(), TCP, socket(Constants.SO_KEEPALIVE));
        table.add(StandardSocketOptions.SO_LINGER, new OptionStructures.Lingering(), TCP, socket(Constants.SO_LINGER));
        table.add(StandardSocketOptions.SO_BROADCAST, new Flag(), DATAGRAMS, socket(Constants.SO_BROADCAST));
        table.add(LinuxSocketOptions.SO_INCOMING_CPU, new Count(0, ANY), ALL, socket(Constants.SO_INCOMING_CPU));
        table.add(LinuxSocketOptions.SO_PRIORITY, new Count(0, ANY), ALL, socket(Constants.SO_PRIORITY), QUEUES);
        table.add(LinuxSocketOptions.SO_MARK, new Count(Integer.MIN_VALUE, ANY), ALL, socket(Constants.SO_MARK), MARKS);
        table.add(
                LinuxSocketOptions.SO_BINDTODEVICE,
                new OptionStructures.Name(0),
                ALL,
                socket(Constants.SO_BINDTODEVICE),
                DEVICES);
    }

    private static void tcp(Table table) {
        Duration second = Duration.ofSeconds(1);
        table.add(StandardSocketOptions.TCP_NODELAY, new Flag(), TCP, tcp(Constants.TCP_NODELAY));
        table.add(
                LinuxSocketOptions.TCP_KEEPIDLE, new Span(second, 1, LONGEST_PAUSE), TCP, tcp(Constants.TCP_KEEPIDLE));
        table.add(
                LinuxSocketOptions.TCP_KEEPINTVL,
                new Span(second, 1, LONGEST_PAUSE),
                TCP,
                tcp(Constants.TCP_KEEPINTVL));
        table.add(LinuxSocketOptions.TCP_KEEPCNT, new Count(1, MOST_LOOKS), TCP, tcp(Constants.TCP_KEEPCNT));
        table.add(
                LinuxSocketOptions.TCP_USER_TIMEOUT,
                new Span(Duration.ofMillis(1), 0, ANY),
                TCP,
                tcp(Constants.TCP_USER_TIMEOUT));
        table.add(LinuxSocketOptions.TCP_QUICKACK, new Flag(), STREAM, tcp(Constants.TCP_QUICKACK));
        table.add(LinuxSocketOptions.TCP_CORK, new Flag(), STREAM, tcp(Constants.TCP_CORK));
        table.add(
                LinuxSocketOptions.TCP_MAXSEG,
                new Count(SMALLEST_PACKET, LARGEST_PACKET),
                TCP,
                tcp(Constants.TCP_MAXSEG));
        table.add(
                LinuxSocketOptions.TCP_CONGESTION,
                new OptionStructures.Name(1),
                TCP,
                tcp(Constants.TCP_CONGESTION),
                RESERVED);
        table.add(LinuxSocketOptions.TCP_NOTSENT_LOWAT, new Count(0, ANY), TCP, tcp(Constants.TCP_NOTSENT_LOWAT));
        table.add(
                LinuxSocketOptions.TCP_DEFER_ACCEPT,
                new Span(second, 0, LONGEST_PAUSE),
                LISTENER,
                tcp(Constants.TCP_DEFER_ACCEPT));
        table.add(LinuxSocketOptions.TCP_FASTOPEN, new Count(0, ANY), LISTENER, tcp(Constants.TCP_FASTOPEN));
    }

    private static void ip(Table table) {
        Place only = new Place(IPPROTO_IPV6, Constants.IPV6_V6ONLY);
        table.add(LinuxSocketOptions.IPV6_V6ONLY, new Flag(), ALL, new Places(null, only, null, null));
        // An IPv6 socket that serves IPv4, too, has them twice.
        table.add(StandardSocketOptions.IP_TOS, new Count(0, 255), ALL, twice(Constants.IP_TOS, Constants.IPV6_TCLASS));
        table.add(
                LinuxSocketOptions.IP_TTL,
                new Count(1, 255),
                ALL,
                twice(Constants.IP_TTL, Constants.IPV6_UNICAST_HOPS));
        table.add(LinuxSocketOptions.IP_FREEBIND, new Flag(), ALL, ip(Constants.IP_FREEBIND, Constants.IPV6_FREEBIND));
        table.add(
                LinuxSocketOptions.IP_TRANSPARENT,
                new Flag(),
                ALL,
                ip(Constants.IP_TRANSPARENT, Constants.IPV6_TRANSPARENT),
                FOREIGN);
    }

    private static void multicast(Table table) {
        table.add(
                StandardSocketOptions.IP_MULTICAST_IF,
                new OptionStructures.Interface(),
                DATAGRAMS,
                ip(Constants.IP_MULTICAST_IF, Constants.IPV6_MULTICAST_IF));
        table.add(
                StandardSocketOptions.IP_MULTICAST_TTL,
                new Count(0, 255),
                DATAGRAMS,
                ip(Constants.IP_MULTICAST_TTL, Constants.IPV6_MULTICAST_HOPS));
        table.add(
                StandardSocketOptions.IP_MULTICAST_LOOP,
                new Flag(),
                DATAGRAMS,
                ip(Constants.IP_MULTICAST_LOOP, Constants.IPV6_MULTICAST_LOOP));
        table.add(
                LinuxSocketOptions.IP_MULTICAST_ALL,
                new Flag(),
                DATAGRAMS,
                ip(Constants.IP_MULTICAST_ALL, Constants.IPV6_MULTICAST_ALL));
    }

    private static Places socket(int name) {
        Place place = new Place(SOL_SOCKET, name);
        return new Places(place, place, null, null);
    }

    private static Places tcp(int name) {
        Place place = new Place(IPPROTO_TCP, name);
        return new Places(place, place, null, null);
    }

    private static Places ip(int four, int six) {
        return new Places(new Place(IPPROTO_IP, four), new Place(IPPROTO_IPV6, six), null, null);
    }

    private static Places twice(int four, int six) {
        Place place = new Place(IPPROTO_IP, four);
        return new Places(place, new Place(IPPROTO_IPV6, six), null, place);
    }

    /** While it is made. */
    private static final class Table {
        private final Map<SocketOption<?>, KnownOption<?>> rows = new HashMap<>();

        <T> void add(SocketOption<T> option, OptionForm<T> form, Set<Use> uses, Places places) {
            add(option, form, uses, places, "");
        }

        <T> void add(SocketOption<T> option, OptionForm<T> form, Set<Use> uses, Places places, String allowed) {
            rows.put(option, new KnownOption<>(option, form, uses, places, allowed));
        }
    }
}

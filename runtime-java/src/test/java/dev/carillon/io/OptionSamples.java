package dev.carillon.io;

import static dev.carillon.io.LinuxSocketOptions.*;
import static java.net.StandardSocketOptions.*;

import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.SocketOption;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** A value for each option that sockets have, and values that it cannot have. */
final class OptionSamples {
    private OptionSamples() {}

    /** None of them is the default of the kernel. */
    static Map<SocketOption<?>, Object> values() {
        Map<SocketOption<?>, Object> samples = new HashMap<>();
        samples.put(SO_RCVBUF, 10_000);
        samples.put(SO_SNDBUF, 20_000);
        samples.put(SO_REUSEADDR, true);
        samples.put(SO_REUSEPORT, true);
        samples.put(SO_KEEPALIVE, true);
        samples.put(SO_LINGER, 7);
        samples.put(SO_BROADCAST, true);
        samples.put(TCP_NODELAY, true);
        samples.put(IP_TOS, 0x10);
        samples.put(IP_MULTICAST_IF, loopback());
        samples.put(IP_MULTICAST_TTL, 9);
        samples.put(IP_MULTICAST_LOOP, false);
        samples.put(IP_MULTICAST_ALL, false);
        samples.put(TCP_KEEPIDLE, Duration.ofSeconds(61));
        samples.put(TCP_KEEPINTVL, Duration.ofSeconds(62));
        samples.put(TCP_KEEPCNT, 3);
        samples.put(TCP_USER_TIMEOUT, Duration.ofMillis(12_345));
        samples.put(TCP_QUICKACK, false);
        samples.put(TCP_CORK, true);
        samples.put(TCP_MAXSEG, 1000);
        samples.put(TCP_CONGESTION, "reno");
        samples.put(TCP_NOTSENT_LOWAT, 16_384);
        samples.put(TCP_DEFER_ACCEPT, Duration.ofSeconds(5));
        samples.put(TCP_FASTOPEN, 5);
        samples.put(IPV6_V6ONLY, true);
        samples.put(IP_TTL, 33);
        samples.put(IP_FREEBIND, true);
        samples.put(IP_TRANSPARENT, true);
        samples.put(SO_MARK, 0x80000007);
        samples.put(SO_BINDTODEVICE, "lo");
        samples.put(SO_PRIORITY, 5);
        samples.put(SO_INCOMING_CPU, 0);
        return samples;
    }

    static Map<SocketOption<?>, List<?>> refused() {
        Duration day = Duration.ofDays(1);
        Duration half = Duration.ofMillis(1_500);
        Duration endless = Duration.ofSeconds(Long.MAX_VALUE, 999_999_999);
        Map<SocketOption<?>, List<?>> refused = new HashMap<>();
        refused.put(SO_RCVBUF, List.of(-1));
        refused.put(SO_SNDBUF, List.of(-1));
        refused.put(SO_LINGER, List.of(65_536));
        refused.put(IP_TOS, List.of(-1, 256));
        refused.put(IP_MULTICAST_TTL, List.of(-1, 256));
        refused.put(TCP_KEEPIDLE, List.of(Duration.ZERO, day, half, Duration.ofSeconds(-1), endless));
        refused.put(TCP_KEEPINTVL, List.of(Duration.ZERO, day, half, endless.negated()));
        refused.put(TCP_KEEPCNT, List.of(0, 128));
        refused.put(
                TCP_USER_TIMEOUT, List.of(Duration.ofMillis(-1), Duration.ofNanos(1), Duration.ofDays(25), endless));
        refused.put(TCP_MAXSEG, List.of(0, 87, 32_768));
        refused.put(TCP_CONGESTION, List.of("", "sixteen-bytes-is", "a\0b"));
        refused.put(TCP_NOTSENT_LOWAT, List.of(-1));
        refused.put(TCP_DEFER_ACCEPT, List.of(day, half));
        refused.put(TCP_FASTOPEN, List.of(-1));
        refused.put(IP_TTL, List.of(0, 256));
        refused.put(SO_BINDTODEVICE, List.of("sixteen-bytes-is", "lo\0"));
        refused.put(SO_PRIORITY, List.of(-1));
        refused.put(SO_INCOMING_CPU, List.of(-1));
        return refused;
    }

    /** The address of that text, which no resolver is asked for. */
    static InetAddress ip(String text) {
        try {
            return InetAddress.getAllByName(text)[0];
        } catch (UnknownHostException e) {
            throw new AssertionError(e);
        }
    }

    static NetworkInterface loopback() {
        try {
            return Objects.requireNonNull(NetworkInterface.getByInetAddress(ip("127.0.0.1")));
        } catch (SocketException e) {
            throw new AssertionError(e);
        }
    }
}

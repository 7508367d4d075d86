package dev.carillon.admin;

import com.sun.net.httpserver.HttpExchange;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.util.Arrays;
import java.util.HexFormat;

/**
 * Where a request comes from: the other end of its connection, whatever headers say of it.
 *
 * @param address for people
 * @param network for limits: the address, or the first 64 bits of one of IPv6, since one host may use all that begin so
 */
record Source(String address, String network) {
    private static final int NETWORK_BYTES = 8;

    static Source of(HttpExchange exchange) {
        InetAddress address = exchange.getRemoteAddress().getAddress();
        return address == null ? new Source("unknown", "unknown") : of(address);
    }

    static Source of(InetAddress address) {
        String text = address.getHostAddress();
        return address instanceof Inet6Address
                ? new Source(text, HexFormat.of().formatHex(Arrays.copyOf(address.getAddress(), NETWORK_BYTES)))
                : new Source(text, text);
    }
}

package dev.carillon;

import java.io.Serial;
import java.net.SocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The address of a Unix socket in the abstract space: a name without a file, gone with its socket.
 *
 * <p><b>See:</b> unix(7).
 */
public final class AbstractSocketAddress extends SocketAddress {
    @Serial
    private static final long serialVersionUID = 1L;

    /** Without the zero byte before it; any bytes, zeros as well. */
    private final byte[] name;

    private AbstractSocketAddress(byte[] name) {
        this.name = name;
    }

    /** The name in UTF-8, without the zero byte that the kernel puts before it. */
    public static AbstractSocketAddress of(String name) {
        if (name.isEmpty()) {
            throw new IllegalArgumentException("name is empty: an abstract name has 1 to 107 bytes");
        }
        return new AbstractSocketAddress(name.getBytes(StandardCharsets.UTF_8));
    }

    /** The name as bytes, which need not be text: other programs may have chosen any, also none. */
    public static AbstractSocketAddress of(byte[] name) {
        return new AbstractSocketAddress(name.clone());
    }

    /** The name without the zero byte, as text; bytes that are no UTF-8 do not show, see {@link #bytes}. */
    public String name() {
        return new String(name, StandardCharsets.UTF_8);
    }

    /** The name without the zero byte. */
    public byte[] bytes() {
        return name.clone();
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof AbstractSocketAddress that && Arrays.equals(that.name, name);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(name);
    }

    /** As other programs print it, with an at sign. */
    @Override
    public String toString() {
        return "@" + name();
    }
}

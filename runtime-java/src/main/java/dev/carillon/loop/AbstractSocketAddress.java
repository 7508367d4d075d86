package dev.carillon.loop;

import java.io.Serial;
import java.net.SocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * The address of a Unix socket in the abstract space: a name without a file, gone with its socket.
 *
 * <p><b>See:</b> unix(7).
 */
public final class AbstractSocketAddress extends SocketAddress {
    @Serial
    private static final long serialVersionUID = 1L;

    private final String name;

    private AbstractSocketAddress(String name) {
        this.name = name;
    }

    /** The name without the zero byte that the kernel puts before it. */
    public static AbstractSocketAddress of(String name) {
        if (name.isEmpty()) {
            throw new IllegalArgumentException("name is empty: an abstract name has 1 to 107 bytes");
        }
        return new AbstractSocketAddress(name);
    }

    /** The name without the zero byte. */
    public String name() {
        return name;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof AbstractSocketAddress that && that.name.equals(name);
    }

    @Override
    public int hashCode() {
        return name.hashCode();
    }

    /** As other programs print it, with an at sign. */
    @Override
    public String toString() {
        return "@" + name;
    }
}

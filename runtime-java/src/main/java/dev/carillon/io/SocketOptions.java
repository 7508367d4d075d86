package dev.carillon.io;

import java.net.SocketOption;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Options that a socket has from its begin on, in the order in which they are set. They are set before the bind or the connect,
 * so also those count that only work then: SO_REUSEPORT, IPV6_V6ONLY, SO_BINDTODEVICE, SO_MARK, and sizes of buffers, which TCP
 * announces when it connects.
 *
 * <p>The options are those of {@link java.net.StandardSocketOptions} and {@link LinuxSocketOptions}. Any other is refused here,
 * and so is a value that an option cannot have; an option that is not for the kind of socket is refused by the bind or connect.
 *
 * <p><b>Threading:</b> any thread; it never changes.
 */
// r[impl io.options]
public final class SocketOptions {
    private static final SocketOptions NONE = new SocketOptions(Map.of());

    private final Map<SocketOption<?>, Object> values;

    private SocketOptions(Map<SocketOption<?>, Object> values) {
        this.values = values;
    }

    /** No options. */
    public static SocketOptions none() {
        return NONE;
    }

    /**
     * One option.
     *
     * @throws IllegalArgumentException if the option is not known, or cannot have that value
     */
    public static <T> SocketOptions of(SocketOption<T> option, T value) {
        return NONE.and(option, value);
    }

    /**
     * These options and another one; a second value of one option replaces the first.
     *
     * @throws IllegalArgumentException if the option is not known, or cannot have that value
     */
    public <T> SocketOptions and(SocketOption<T> option, T value) {
        Object checked = KnownOptions.of(option).ensureValue(value);
        Map<SocketOption<?>, Object> more = new LinkedHashMap<>(values);
        more.put(option, checked);
        return new SocketOptions(Collections.unmodifiableMap(more));
    }

    /** Throws if such a socket lacks one of them. */
    void ensureFor(SocketKind kind) {
        values.keySet().forEach(option -> KnownOptions.of(option).ensureFor(kind));
    }

    /** Sets them on a new socket. */
    void setOn(int number, SocketKind kind) {
        values.forEach((option, value) -> KnownOptions.of(option).set(number, kind, value));
    }

    boolean has(SocketOption<?> option) {
        return values.containsKey(option);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof SocketOptions options && values.equals(options.values);
    }

    @Override
    public int hashCode() {
        return values.hashCode();
    }

    @Override
    public String toString() {
        return values.toString();
    }
}

package dev.carillon.guards.tree;

import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A value made when it is first asked for, and kept. */
final class Once<T> implements Supplier<T> {
    private final Supplier<T> make;
    private @Nullable T value;

    Once(Supplier<T> make) {
        this.make = make;
    }

    @Override
    public synchronized T get() {
        if (value == null) {
            value = Objects.requireNonNull(make.get());
        }
        return value;
    }
}

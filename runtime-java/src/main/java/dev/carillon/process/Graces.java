package dev.carillon.process;

import java.time.Duration;
import java.util.Objects;

/** Times that a child is given. */
final class Graces {
    private Graces() {}

    static Duration ensureNotNegative(Duration grace) {
        return ensureNotNegative("grace", grace);
    }

    static Duration ensureNotNegative(String name, Duration time) {
        if (Objects.requireNonNull(time, name).isNegative()) {
            throw new IllegalArgumentException(name + "=" + time + ": not negative");
        }
        return time;
    }
}

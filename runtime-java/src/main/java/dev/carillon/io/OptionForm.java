package dev.carillon.io;

import dev.carillon.sys.call.SocketCalls;
import dev.carillon.sys.call.Sys;
import java.time.Duration;

/** How the values of an option look to the kernel, and which it can have. <b>Threading:</b> any thread. */
abstract class OptionForm<T> {
    /** Where the kernel has an option. */
    record Place(int level, int name) {}

    /** Empty if the kernel can have that value; else what it can have. */
    String problemOf(T value) {
        return "";
    }

    abstract void set(int number, Place place, T value);

    abstract T get(int number, Place place);

    static SocketCalls calls() {
        return Sys.get().sockets();
    }

    /** Yes or no. */
    static final class Flag extends OptionForm<Boolean> {
        @Override
        void set(int number, Place place, Boolean value) {
            calls().setOption(number, place.level, place.name, value ? 1 : 0);
        }

        @Override
        Boolean get(int number, Place place) {
            return calls().option(number, place.level, place.name) != 0;
        }
    }

    /** A number. */
    static final class Count extends OptionForm<Integer> {
        private final int least;
        private final int most;

        Count(int least, int most) {
            this.least = least;
            this.most = most;
        }

        @Override
        String problemOf(Integer value) {
            return value >= least && value <= most ? "" : least + " to " + most;
        }

        @Override
        void set(int number, Place place, Integer value) {
            calls().setOption(number, place.level, place.name, value);
        }

        @Override
        Integer get(int number, Place place) {
            return calls().option(number, place.level, place.name);
        }
    }

    /** A time, which the kernel counts in units. */
    static final class Span extends OptionForm<Duration> {
        private final Duration unit;
        private final int least;
        private final int most;

        Span(Duration unit, int least, int most) {
            this.unit = unit;
            this.least = least;
            this.most = most;
        }

        @Override
        String problemOf(Duration value) {
            Duration shortest = unit.multipliedBy(least);
            Duration longest = unit.multipliedBy(most);
            boolean fits = value.compareTo(shortest) >= 0 && value.compareTo(longest) <= 0;
            // Only one that fits can be divided without an overflow.
            boolean isWhole = fits && unit.multipliedBy(value.dividedBy(unit)).equals(value);
            return isWhole ? "" : shortest + " to " + longest + ", in whole units of " + unit;
        }

        @Override
        void set(int number, Place place, Duration value) {
            calls().setOption(number, place.level, place.name, (int) value.dividedBy(unit));
        }

        @Override
        Duration get(int number, Place place) {
            return unit.multipliedBy(Integer.toUnsignedLong(calls().option(number, place.level, place.name)));
        }
    }
}

package dev.carillon;

import java.util.AbstractSet;
import java.util.Collection;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;

/**
 * A set of signals, iterated from the lowest number.
 *
 * <p><b>Threading:</b> immutable.
 *
 * <p><b>See:</b> sigsetops(3).
 */
public final class SignalSet extends AbstractSet<Signal> {
    private static final SignalSet EMPTY = new SignalSet(0);
    private static final SignalSet ALL = new SignalSet(-1);

    /** Bit n - 1 stands for signal n, as in the kernel. */
    private final long bits;

    private SignalSet(long bits) {
        this.bits = bits;
    }

    /** No signal. */
    public static SignalSet empty() {
        return EMPTY;
    }

    /** All 64. */
    public static SignalSet all() {
        return ALL;
    }

    /** These signals. */
    public static SignalSet of(Signal... signals) {
        SignalSet set = EMPTY;
        for (Signal signal : signals) {
            set = set.plus(signal);
        }
        return set;
    }

    /** The signals of another collection. */
    public static SignalSet copyOf(Collection<Signal> signals) {
        return signals instanceof SignalSet set ? set : of(signals.toArray(Signal[]::new));
    }

    /** The set that the kernel writes so: bit n - 1 stands for signal n. */
    public static SignalSet ofBits(long bits) {
        return new SignalSet(bits);
    }

    /** As the kernel writes it: bit n - 1 stands for signal n. */
    public long toBits() {
        return bits;
    }

    /** This and one more. */
    public SignalSet plus(Signal signal) {
        return new SignalSet(bits | bit(signal));
    }

    /** What is in this or the other. */
    public SignalSet plus(SignalSet other) {
        return new SignalSet(bits | other.bits);
    }

    /** This without one. */
    public SignalSet minus(Signal signal) {
        return new SignalSet(bits & ~bit(signal));
    }

    /** What is in this and not in the other. */
    public SignalSet minus(SignalSet other) {
        return new SignalSet(bits & ~other.bits);
    }

    /** Whether it has that signal. */
    public boolean contains(Signal signal) {
        return (bits & bit(signal)) != 0;
    }

    @Override
    public boolean contains(@Nullable Object element) {
        return element instanceof Signal signal && contains(signal);
    }

    @Override
    public int size() {
        return Long.bitCount(bits);
    }

    @Override
    public Iterator<Signal> iterator() {
        return new Iterator<>() {
            private long left = bits;

            @Override
            public boolean hasNext() {
                return left != 0;
            }

            @Override
            public Signal next() {
                if (left == 0) {
                    throw new NoSuchElementException("no more signals");
                }
                int lowest = Long.numberOfTrailingZeros(left);
                left &= left - 1;
                return Signal.of(lowest + 1);
            }
        };
    }

    /** As in {@code {SIGINT, SIGTERM}}. */
    @Override
    public String toString() {
        StringJoiner names = new StringJoiner(", ", "{", "}");
        for (Signal signal : this) {
            names.add(signal.name());
        }
        return names.toString();
    }

    private static long bit(Signal signal) {
        return 1L << (signal.number() - 1);
    }
}

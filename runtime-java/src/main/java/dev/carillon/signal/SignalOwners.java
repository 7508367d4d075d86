package dev.carillon.signal;

import dev.carillon.Signal;
import dev.carillon.SignalSet;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/** Which service of this process has a signal. <b>Threading:</b> any thread; changes are made under a lock. */
final class SignalOwners {
    private static final AtomicReferenceArray<@Nullable SignalDesk> OWNERS =
            new AtomicReferenceArray<>(Signal.LAST + 1);
    private static final Object LOCK = new Object();

    private SignalOwners() {}

    /**
     * Makes all of them a service's, or none; returns those that were not its own before.
     *
     * @throws IllegalStateException if another one has one of them
     */
    // r[impl signal.attach]
    static SignalSet claim(SignalDesk desk, SignalSet signals) {
        synchronized (LOCK) {
            SignalSet fresh = SignalSet.empty();
            for (Signal signal : signals) {
                SignalDesk owner = OWNERS.get(signal.number());
                if (owner == null) {
                    fresh = fresh.plus(signal);
                } else if (owner != desk) {
                    throw new IllegalStateException(
                            signal + " belongs to " + owner + "; wait for it there, or release it there first");
                }
            }
            for (Signal signal : fresh) {
                OWNERS.set(signal.number(), desk);
            }
            return fresh;
        }
    }

    /** Gives up those that are the service's. */
    static void release(SignalDesk desk, SignalSet signals) {
        synchronized (LOCK) {
            for (Signal signal : signals) {
                OWNERS.compareAndSet(signal.number(), desk, null);
            }
        }
    }

    /** Whose signal it is; null: nobody's. */
    static @Nullable SignalDesk of(int number) {
        return OWNERS.get(number);
    }
}

package dev.carillon.signal;

import dev.carillon.Signal;
import dev.carillon.SignalSet;
import dev.carillon.loop.EventLoop;
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
                    throw taken(signal, owner);
                }
            }
            claimOfCopies(fresh);
            for (Signal signal : fresh) {
                OWNERS.set(signal.number(), desk);
            }
            return fresh;
        }
    }

    /**
     * Where a service that attaches by itself is to wait for signals: at another one of its loop that has all of them
     * already, else at its own desk.
     *
     * @throws IllegalStateException if that is not possible, since others have some of them
     */
    // r[impl signal.implicit]
    static SignalDesk deskFor(SignalDesk own, SignalSet signals) {
        SignalDesk found = null;
        boolean isFirst = true;
        for (Signal signal : signals) {
            SignalDesk owner = OWNERS.get(signal.number());
            SignalDesk at = owner == null ? own : owner;
            if (at.loop() != own.loop()) {
                throw taken(signal, at);
            }
            if (!isFirst && at != found) {
                throw new IllegalStateException(signals + " belong to more than one service of " + own.loop() + ", "
                        + signal + " to " + at + "; wait for each where it belongs, or attach all of them there");
            }
            isFirst = false;
            found = at;
        }
        return found == null ? own : found;
    }

    private static IllegalStateException taken(Signal signal, SignalDesk owner) {
        return new IllegalStateException(
                signal + " belongs to " + owner + "; wait for it there, or release it there first");
    }

    // r[impl signal.one-owner]
    private static void claimOfCopies(SignalSet signals) {
        SignalSet begun = SignalSet.empty();
        for (Signal signal : signals) {
            String owner = CopyOwners.claim(signal);
            if (owner != null) {
                begun.forEach(CopyOwners::release);
                throw new IllegalStateException(signal + " belongs to another copy of this library in the same VM, that"
                        + " of " + owner + "; wait for it there, or release it there first, or let a class loader above"
                        + " both load the library once");
            }
            begun = begun.plus(signal);
        }
    }

    /** Gives up those that are the service's. */
    static void release(SignalDesk desk, SignalSet signals) {
        synchronized (LOCK) {
            for (Signal signal : signals) {
                if (OWNERS.compareAndSet(signal.number(), desk, null)) {
                    CopyOwners.release(signal);
                }
            }
        }
    }

    /** All that services of a loop have. */
    static SignalSet of(EventLoop loop) {
        SignalSet had = SignalSet.empty();
        for (Signal signal : SignalSet.all()) {
            SignalDesk owner = OWNERS.get(signal.number());
            if (owner != null && owner.loop() == loop) {
                had = had.plus(signal);
            }
        }
        return had;
    }

    /** Whose signal it is; null: nobody's. */
    static @Nullable SignalDesk of(int number) {
        return OWNERS.get(number);
    }
}

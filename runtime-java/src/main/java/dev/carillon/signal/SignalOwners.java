package dev.carillon.signal;

import dev.carillon.Signal;
import dev.carillon.SignalSet;
import dev.carillon.loop.EventLoop;
import dev.carillon.signal.forwarder.CopyOwners;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Which service of this process has a signal. <b>Threading:</b> any thread; changes are made under a lock.
 *
 * @param <S> a service, whose text names it
 */
final class SignalOwners<S> {
    private final AtomicReferenceArray<@Nullable S> owners = new AtomicReferenceArray<>(Signal.LAST + 1);
    private final Function<S, EventLoop> loopOf;
    private final Predicate<S> lends;

    /**
     * None has any.
     *
     * @param lends whether others may get copies of what a service has
     */
    SignalOwners(Function<S, EventLoop> loopOf, Predicate<S> lends) {
        this.loopOf = loopOf;
        this.lends = lends;
    }

    /**
     * Makes all of them a service's, or none; returns those that were not its own before.
     *
     * @throws IllegalStateException if another one has one of them
     */
    // r[impl signal.attach]
    synchronized SignalSet claim(S service, SignalSet signals) {
        SignalSet fresh = SignalSet.empty();
        for (Signal signal : signals) {
            S owner = owners.get(signal.number());
            if (owner == null) {
                fresh = fresh.plus(signal);
            } else if (owner != service) {
                throw taken(signal, owner);
            }
        }
        claimOfCopies(fresh);
        for (Signal signal : fresh) {
            owners.set(signal.number(), service);
        }
        return fresh;
    }

    /**
     * Where a service that attaches by itself is to wait for signals: at another one of its loop that has all of them
     * already, else at itself.
     *
     * @throws IllegalStateException if that is not possible, since others have some of them
     */
    // r[impl signal.implicit]
    S placeFor(S own, SignalSet signals) {
        EventLoop loop = loopOf.apply(own);
        S found = null;
        for (Signal signal : signals) {
            S owner = owners.get(signal.number());
            S at = owner == null || lends.test(owner) ? own : owner;
            if (loopOf.apply(at) != loop) {
                throw taken(signal, at);
            }
            if (found != null && at != found) {
                throw new IllegalStateException(signals + " belong to more than one service of " + loop + ", " + signal
                        + " to " + at + "; wait for each where it belongs, or attach all of them there");
            }
            found = at;
        }
        return found == null ? own : found;
    }

    /** Those of these signals that belong to another service which lends them. */
    SignalSet lentTo(S service, SignalSet signals) {
        SignalSet lent = SignalSet.empty();
        for (Signal signal : signals) {
            S owner = owners.get(signal.number());
            if (owner != null && owner != service && lends.test(owner)) {
                lent = lent.plus(signal);
            }
        }
        return lent;
    }

    /** Makes a signal of one service another one's; false if it was not the first one's any more. */
    synchronized boolean handOver(Signal signal, S from, S to) {
        return owners.compareAndSet(signal.number(), from, to);
    }

    private static IllegalStateException taken(Signal signal, Object owner) {
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
    synchronized void release(S service, SignalSet signals) {
        for (Signal signal : signals) {
            if (owners.compareAndSet(signal.number(), service, null)) {
                CopyOwners.release(signal);
            }
        }
    }

    /** All that services of a loop have. */
    SignalSet of(EventLoop loop) {
        SignalSet had = SignalSet.empty();
        for (Signal signal : SignalSet.all()) {
            S owner = owners.get(signal.number());
            if (owner != null && loopOf.apply(owner) == loop) {
                had = had.plus(signal);
            }
        }
        return had;
    }

    /** The service that has a signal; null if there is none. */
    @Nullable
    S of(Signal signal) {
        return owners.get(signal.number());
    }
}

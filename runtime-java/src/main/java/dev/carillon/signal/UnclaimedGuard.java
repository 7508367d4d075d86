package dev.carillon.signal;

import dev.carillon.Signal;
import dev.carillon.SignalSet;
import dev.carillon.loop.EventLoop;
import dev.carillon.signal.forwarder.SignalLog;
import dev.carillon.sys.Deadlines;
import java.time.Duration;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * Keeps a process from going deaf to TERM because something in it once waited for TERM: a signal that was wanted and given
 * up goes back to the process.
 *
 * <p>States of a signal, once a wait has attached it:
 *
 * <ul>
 *   <li>WANTED: there is a wait for it, or a {@link SignalClaim}, or the last one got a record. Then the program will
 *       deal with what comes, however long it takes to wait again.
 *   <li>WANTED -> GIVEN UP: the last wait or claim has ended without a record.
 *   <li>GIVEN UP -> WANTED: a wait or a claim begins.
 *   <li>GIVEN UP -> released and raised: a record has been pending for the limit.
 * </ul>
 *
 * <p><b>Threading:</b> the loop's.
 */
// r[impl signal.unclaimed]
final class UnclaimedGuard {
    private static final long GUARDED =
            SignalSet.of(Signal.SIGTERM, Signal.SIGINT, Signal.SIGHUP).toBits();

    private final EventLoop loop;
    private final SignalQueues queues;
    private final Duration limit;
    private final Predicate<Signal> isAttachedByWait;
    private final Consumer<Signal> giveToProcess;
    private final int[] claims = new int[Signal.LAST + 1];
    private final long[] givenUpSince = new long[Signal.LAST + 1];

    /** Those that are GIVEN UP; always guarded ones. */
    private long givenUp;

    /** Those for which a timer runs. */
    private long watched;

    /**
     * A guard.
     *
     * @param limit how long a record may be pending after its signal was given up
     * @param isAttachedByWait whether a mere wait has attached a signal
     * @param giveToProcess releases a signal and raises it again
     */
    UnclaimedGuard(
            EventLoop loop,
            SignalQueues queues,
            Duration limit,
            Predicate<Signal> isAttachedByWait,
            Consumer<Signal> giveToProcess) {
        this.loop = loop;
        this.queues = queues;
        this.limit = limit;
        this.isAttachedByWait = isAttachedByWait;
        this.giveToProcess = giveToProcess;
    }

    /** A wait for them begins, or gets a record. */
    void onWanted(SignalSet signals) {
        givenUp &= ~signals.toBits();
    }

    /** A wait for them has ended without a record; that counts for those that no other wait or claim wants. */
    void onGivenUp(SignalSet signals) {
        long candidates = signals.toBits() & GUARDED;
        if (candidates == 0) {
            return;
        }
        for (Signal signal : SignalSet.ofBits(candidates)) {
            if (claims[signal.number()] == 0 && !queues.isWaitedFor(signal)) {
                givenUp |= bit(signal);
                givenUpSince[signal.number()] = loop.nanoTime();
                onPending(signal);
            }
        }
    }

    /** A claim of them begins. */
    void onClaim(SignalSet signals) {
        signals.forEach(signal -> claims[signal.number()]++);
        onWanted(signals);
    }

    /** A claim of them ends, with a record as the last thing that came, or without. */
    void onClaimEnd(SignalSet signals, boolean isFulfilled) {
        signals.forEach(signal -> claims[signal.number()]--);
        if (isFulfilled) {
            onWanted(signals);
        } else {
            onGivenUp(signals);
        }
    }

    /** A record may have become pending. */
    void onPending(Signal signal) {
        if ((givenUp & bit(signal)) != 0) {
            watch(signal);
        }
    }

    private void watch(Signal signal) {
        SignalRecord oldest = queues.peek(signal);
        if (oldest != null && (watched & bit(signal)) == 0 && isAttachedByWait.test(signal)) {
            watched |= bit(signal);
            loop.schedule(Duration.ofNanos(left(oldest)), () -> check(signal));
        }
    }

    /** How long it has still to stay, of the limit since it came and since it was given up. */
    private long left(SignalRecord oldest) {
        long givenUpAt = givenUpSince[oldest.number()];
        long since = oldest.arrived() - givenUpAt > 0 ? oldest.arrived() : givenUpAt;
        return Deadlines.after(since, limit) - loop.nanoTime();
    }

    private void check(Signal signal) {
        watched &= ~bit(signal);
        SignalRecord oldest = queues.peek(signal);
        if ((givenUp & bit(signal)) == 0 || oldest == null || !isAttachedByWait.test(signal)) {
            return;
        }
        if (left(oldest) > 0) {
            watch(signal);
            return;
        }
        SignalLog.LOG.warn(
                "{} came {} ago, but who waited for it has given up, and nobody waits for it now: it is released and "
                        + "raised again, and does what it would do without us. To keep it pending, attach it explicitly "
                        + "(SignalService.attach), or keep a wait or a SignalClaim open.",
                signal,
                limit);
        giveToProcess.accept(signal);
    }

    private static long bit(Signal signal) {
        return SignalSet.of(signal).toBits();
    }
}

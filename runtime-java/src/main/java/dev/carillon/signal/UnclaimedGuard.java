package dev.carillon.signal;

import dev.carillon.Signal;
import dev.carillon.SignalSet;
import dev.carillon.loop.EventLoop;
import java.time.Duration;

/**
 * Keeps a process from going deaf to TERM because something in it once waited for TERM: what nobody wants any more is
 * given back to the process.
 *
 * <p><b>Threading:</b> the loop's.
 */
// r[impl signal.unclaimed]
final class UnclaimedGuard {
    private static final SignalSet GUARDED = SignalSet.of(Signal.SIGTERM, Signal.SIGINT, Signal.SIGHUP);

    private final EventLoop loop;
    private final SignalQueues queues;
    private final Attachments attachments;
    private final Duration limit;
    private SignalSet watched = SignalSet.empty();

    UnclaimedGuard(SignalDesk desk, SignalQueues queues, Duration limit) {
        loop = desk.loop();
        attachments = desk.attachments();
        this.queues = queues;
        this.limit = limit;
    }

    /** A record has become pending. */
    void onPending(Signal signal) {
        if (GUARDED.contains(signal) && attachments.isImplicit(signal) && !watched.contains(signal)) {
            watched = watched.plus(signal);
            loop.schedule(limit, () -> check(signal));
        }
    }

    private void check(Signal signal) {
        watched = watched.minus(signal);
        SignalRecord oldest = queues.peek(signal);
        if (oldest == null || !attachments.isImplicit(signal)) {
            return;
        }
        long left = oldest.arrived() + limit.toNanos() - loop.nanoTime();
        if (left > 0) {
            watched = watched.plus(signal);
            loop.schedule(Duration.ofNanos(left), () -> check(signal));
            return;
        }
        SignalLog.LOG.warn(
                "{} came {} ago, but nobody waits for it any more: it is released and raised again. Attach it "
                        + "explicitly (SignalService.attach) to keep it pending.",
                signal,
                limit);
        attachments.releaseAndRaise(signal);
    }
}

package dev.carillon.shm.doorbell;

import dev.carillon.ClosedException;
import dev.carillon.loop.EventLoop;
import dev.carillon.loop.Watch;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A virtual thread that waits for a bell: parked, while the shared loop watches the descriptor. In ppoll it would keep its
 * carrier, and two such threads on two processors stop all others.
 *
 * <p><b>Threading:</b> the reader's; it is unparked by the loop, an interrupt or a close.
 */
// r[impl shm.doorbell.virtual]
final class ParkedWait {
    /** Between two looks where the loop cannot watch, for want of a descriptor or because the VM ends. */
    private static final long LOOK_AGAIN_NANOS = 10_000_000;

    private final BellEnd end;

    /** Until it is empty: the loop tells of changes only. */
    private final Draining draining = new Draining(BellEnd.ROOM, Draining.MOST_READS, true);

    private final Thread reader = Thread.currentThread();
    private volatile boolean unwatched;

    ParkedWait(BellEnd end) {
        this.end = end;
    }

    DoorbellEvent until(long deadlineNanos) throws InterruptedException {
        int bell = end.enter();
        try {
            DoorbellEvent atOnce = look(deadlineNanos);
            if (atOnce != null) {
                return atOnce;
            }
            Watch watch = watch(bell);
            try {
                return parked(deadlineNanos);
            } finally {
                if (watch != null) {
                    watch.close();
                }
            }
        } finally {
            end.leave();
        }
    }

    private @Nullable Watch watch(int bell) {
        try {
            return EventLoop.shared().watch(bell, () -> LockSupport.unpark(reader), failure -> lookAgain());
        } catch (RuntimeException noLoop) {
            unwatched = true; // it looks by itself then
            return null;
        }
    }

    private void lookAgain() {
        unwatched = true;
        LockSupport.unpark(reader);
    }

    private DoorbellEvent parked(long deadlineNanos) throws InterruptedException {
        while (true) {
            DoorbellEvent event = look(deadlineNanos);
            if (event != null) {
                return event;
            }
            long left = deadlineNanos == Long.MAX_VALUE ? Long.MAX_VALUE : deadlineNanos - System.nanoTime();
            LockSupport.parkNanos(this, unwatched ? Math.min(left, LOOK_AGAIN_NANOS) : left);
        }
    }

    /** What the wait ends with, or null if it goes on. */
    private @Nullable DoorbellEvent look(long deadlineNanos) throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException("interrupted while it waited for " + end);
        }
        if (!end.isOpen()) {
            throw new ClosedException(end + " was closed while a thread waited for it");
        }
        boolean over = deadlineNanos != Long.MAX_VALUE && deadlineNanos - System.nanoTime() <= 0;
        DoorbellEvent event = end.drain(draining).event();
        return event != DoorbellEvent.TIMEOUT || over ? event : null;
    }
}

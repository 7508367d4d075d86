package dev.carillon.shm.doorbell;

import dev.carillon.ClosedException;
import dev.carillon.loop.EventLoop;
import dev.carillon.loop.Watch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A virtual thread that waits for a bell: parked, while the shared loop watches the descriptor. In ppoll it would keep its
 * carrier, and two such threads on two processors stop all others.
 *
 * <p>States: WATCHED (a loop unparks it) <-> UNWATCHED (it looks by itself, after pauses, and now and then tries to be
 * watched again): no descriptor is left for the copy, the shared loop has ended by an error and another one takes its place,
 * or the VM exits.
 *
 * <p><b>Threading:</b> the reader's; it is unparked by the loop, an interrupt or a close.
 */
// r[impl shm.doorbell.virtual] r[impl shm.doorbell.loop-end]
final class ParkedWait {
    /** Between two looks where no loop watches. */
    private static final long LOOK_AGAIN_NANOS = 10_000_000;

    private static final long LONGEST_UNWATCHED_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final BellEnd end;

    /** Until it is empty: the loop tells of changes only. */
    private final DrainProgress draining = new DrainProgress(BellEnd.CAPACITY, DrainProgress.MAX_READS, true);

    private final Thread reader = Thread.currentThread();
    private @Nullable Watch watch;

    /** True -> false (the reader, before it asks a loop) -> true (the loop that does not watch, or the reader). */
    private volatile boolean unwatched = true;

    /** How long it goes without a loop until it asks for one again, and since when it does. */
    private long patience;

    private long unwatchedSince;

    ParkedWait(BellEnd end) {
        this.end = end;
    }

    DoorbellEvent until(long deadlineNanos) throws InterruptedException {
        int bell = end.acquire();
        try {
            DoorbellEvent atOnce = look(deadlineNanos);
            return atOnce != null ? atOnce : parked(bell, deadlineNanos);
        } finally {
            if (watch != null) {
                watch.close();
            }
            end.release();
        }
    }

    private DoorbellEvent parked(int bell, long deadlineNanos) throws InterruptedException {
        while (true) {
            if (unwatched && System.nanoTime() - unwatchedSince >= patience) {
                watch(bell);
            }
            // Only now: what came before the watch began may bring no event.
            DoorbellEvent event = look(deadlineNanos);
            if (event != null) {
                return event;
            }
            long left = deadlineNanos == Long.MAX_VALUE ? Long.MAX_VALUE : deadlineNanos - System.nanoTime();
            LockSupport.parkNanos(this, unwatched ? Math.min(left, LOOK_AGAIN_NANOS) : left);
        }
    }

    /** Has the shared loop watch, which may be another one each time; if it does not, it says so now or later. */
    private void watch(int bell) {
        unwatchedSince = System.nanoTime();
        patience = patience == 0 ? LOOK_AGAIN_NANOS : Math.min(LONGEST_UNWATCHED_NANOS, 2 * patience);
        unwatched = false;
        try {
            watch = EventLoop.shared().watch(bell, () -> LockSupport.unpark(reader), failure -> lookAgain());
        } catch (RuntimeException | OutOfMemoryError noLoop) {
            unwatched = true; // it looks by itself then
        }
    }

    private void lookAgain() {
        unwatched = true;
        LockSupport.unpark(reader);
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

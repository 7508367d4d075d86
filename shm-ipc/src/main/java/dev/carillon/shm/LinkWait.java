package dev.carillon.shm;

import dev.carillon.futex.EventCount;
import java.util.function.BooleanSupplier;

/**
 * How a thread of this side waits for the other one: it looks for a short time, and then sleeps.
 *
 * <p>A wait ends when its condition holds, when the link is over, or at its deadline.
 *
 * <p><b>Threading:</b> any thread; it blocks.
 */
// r[impl shm.clock]
final class LinkWait {
    /** Looks between two readings of the clock. */
    private static final int LOOKS = 64;

    /** A thread that is pinned to a core counts one processor, and this is asked once: the property has the last word. */
    private static final long SPIN_NANOS =
            Math.max(0, Long.getLong("carillon.shm.spin", Runtime.getRuntime().availableProcessors() > 1 ? 20_000 : 0));

    /** The longest sleep while nothing watches the peer, or where the memory is a file: nobody tells that it was truncated. */
    private static final long SLICE_NANOS = 20_000_000;

    private final LinkStatus status;
    private final PeerWatch peer;
    private final SpinTime spin = new SpinTime(SPIN_NANOS);
    private final HalfWait data = new HalfWait();
    private final HalfWait room = new HalfWait();

    LinkWait(LinkStatus status, PeerWatch peer) {
        this.status = status;
        this.peer = peer;
    }

    /** Who waits for frames of the link. */
    HalfWait data() {
        return data;
    }

    /** Who waits for room on the link. */
    HalfWait room() {
        return room;
    }

    /**
     * As {@link #until}, for a half of the link that a loop may wait for.
     *
     * @throws IllegalStateException if it would have to wait, and a loop does
     */
    boolean until(HalfWait half, EventCount event, BooleanSupplier condition, long deadlineNanos)
            throws InterruptedException {
        if (condition.getAsBoolean()) {
            return true;
        }
        if (deadlineNanos <= System.nanoTime()) {
            // Nor may an announcement of this thread take that of a loop away. What came before a goodbye is seen after
            // it.
            return !status.isOpen() && condition.getAsBoolean();
        }
        half.enter();
        try {
            return until(event, condition, deadlineNanos);
        } finally {
            half.leave();
        }
    }

    /**
     * Waits until a condition holds.
     *
     * @param deadlineNanos on the clock of System.nanoTime(); Long.MAX_VALUE never comes
     * @return whether it holds; if not, the deadline has passed or the link is over
     */
    boolean until(EventCount event, BooleanSupplier condition, long deadlineNanos) throws InterruptedException {
        if (looked(condition, deadlineNanos)) {
            return true;
        }
        boolean mayCome = true;
        while (mayCome) {
            boolean watched = peer.isWatched() && !status.canBeLost();
            // What was published before the goodbye, or the death, is seen by a look after it. Who sleeps long, as the
            // peer is watched, looks for that too: the watch can end, also before the announcement.
            BooleanSupplier over =
                    () -> condition.getAsBoolean() || !status.isOpen() || (watched && !peer.isConfirmed());
            long until = watched ? deadlineNanos : Math.min(deadlineNanos, System.nanoTime() + SLICE_NANOS);
            boolean woken = event.awaitUntil(over, until);
            mayCome = woken ? status.isOpen() : until != deadlineNanos;
            // Another thread of this side may have taken what has woken this one, which waits on then.
            if (condition.getAsBoolean()) {
                return true;
            }
        }
        return false;
    }

    private boolean looked(BooleanSupplier condition, long deadlineNanos) {
        long nanos = spin.nextNanos();
        if (nanos == 0) {
            // On one core a look costs the time in which the peer could do what is waited for.
            return condition.getAsBoolean();
        }
        long end = Math.min(deadlineNanos, System.nanoTime() + nanos);
        do {
            for (int i = 0; i < LOOKS; i++) {
                if (condition.getAsBoolean()) {
                    spin.helped();
                    return true;
                }
                Thread.onSpinWait();
            }
        } while (status.isOpen() && System.nanoTime() - end < 0);
        if (end != deadlineNanos) {
            spin.sleeps();
        }
        return false;
    }
}

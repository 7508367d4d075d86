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
final class LinkWait {
    /** Looks between two readings of the clock. */
    private static final int LOOKS = 64;

    /** A thread that is pinned to a core counts one processor, and this is asked once: the property has the last word. */
    private static final long SPIN_NANOS =
            Math.max(0, Long.getLong("carillon.shm.spin", Runtime.getRuntime().availableProcessors() > 1 ? 20_000 : 0));

    /** The longest sleep while nothing watches the peer. */
    private static final long SLICE_NANOS = 20_000_000;

    private final LinkStatus status;
    private final PeerWatch peer;

    LinkWait(LinkStatus status, PeerWatch peer) {
        this.status = status;
        this.peer = peer;
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
        // What was published before the goodbye, or the death, is seen by a look after it.
        BooleanSupplier over = () -> condition.getAsBoolean() || !status.isOpen();
        long until;
        do {
            until = peer.isWatched() ? deadlineNanos : Math.min(deadlineNanos, System.nanoTime() + SLICE_NANOS);
        } while (!event.awaitUntil(over, until) && until != deadlineNanos);
        return condition.getAsBoolean();
    }

    private boolean looked(BooleanSupplier condition, long deadlineNanos) {
        if (SPIN_NANOS == 0) {
            // On one core a look costs the time in which the peer could do what is waited for.
            return condition.getAsBoolean();
        }
        long end = Math.min(deadlineNanos, System.nanoTime() + SPIN_NANOS);
        do {
            for (int i = 0; i < LOOKS; i++) {
                if (condition.getAsBoolean()) {
                    return true;
                }
                Thread.onSpinWait();
            }
        } while (status.isOpen() && System.nanoTime() - end < 0);
        return false;
    }
}

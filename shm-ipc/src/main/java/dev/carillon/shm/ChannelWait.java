package dev.carillon.shm;

import dev.carillon.ClosedException;
import dev.carillon.futex.EventCount;
import dev.carillon.memory.RegionTruncatedException;
import dev.carillon.shm.fault.PeerViolation;
import java.util.function.BooleanSupplier;

/**
 * How threads wait for the channels of a link, as long as no loop does: both would share the event counts on which they wait.
 *
 * <p><b>Threading:</b> any thread.
 */
// r[impl shm.loop]
final class ChannelWait {
    private final LinkLife life;
    private final LinkWait waiting;

    private volatile boolean onLoop;

    ChannelWait(LinkLife life, LinkWait waiting) {
        this.life = life;
        this.waiting = waiting;
    }

    /** The channels are waited for on a loop, or by threads again. */
    void onLoop(boolean does) {
        onLoop = does;
    }

    /**
     * Waits until a condition holds.
     *
     * @return whether it holds; if not, the deadline has passed or the link is over
     * @throws IllegalStateException if it would have to wait, and a loop does
     */
    boolean until(EventCount event, BooleanSupplier condition, long deadline) throws InterruptedException {
        life.ensureUsable();
        try {
            if (condition.getAsBoolean()) {
                return life.there(true);
            }
            if (onLoop) {
                throw new IllegalStateException(
                        "the channels of this link are waited for on a loop: wait with AsyncChannel, or"
                                + " close the AsyncLink first");
            }
            boolean holds = life.there(waiting.until(event, condition, deadline));
            life.ensureUsable();
            return holds;
        } catch (PeerViolation | RegionTruncatedException | ClosedException | InternalError faulty) {
            throw life.failed(faulty);
        }
    }
}

package dev.carillon.shm;

import dev.carillon.ClosedException;
import dev.carillon.memory.RegionTruncatedException;
import dev.carillon.shm.fault.PeerViolation;
import dev.carillon.sys.Deadlines;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * How a sender waits for room: for an entry of the ring, or for a slot.
 *
 * <p>A frame can need both, and each has an event of its own. So a wait is for the one that was missing, and the caller tries
 * the whole again after it: what came meanwhile is found by that try, and what goes meanwhile only this side can have taken.
 *
 * <p><b>Threading:</b> one thread at a time.
 */
final class LinkRoom {
    private final LinkLife life;
    private final LinkSender sender;
    private final LinkWait waiting;
    private final BooleanSupplier hasEntry;
    private final BooleanSupplier hasSlot;

    /** The length that a wait for a slot is for. */
    private int wanted;

    /**
     * Waits over a sender.
     *
     * @param turn had at each look, and not in between
     */
    LinkRoom(LinkLife life, LinkSender sender, LinkWait waiting, SendTurn turn) {
        this.life = life;
        this.sender = sender;
        this.waiting = waiting;
        BooleanSupplier isThere = sender::hasEntry;
        hasEntry = () -> turn.look(isThere);
        BooleanSupplier isFree = () -> sender.hasSlot(wanted);
        hasSlot = () -> turn.look(isFree);
    }

    /** Who waits for room. */
    HalfWait half() {
        return waiting.room();
    }

    /** Whether it can be worth to wait after a refusal. */
    static boolean isShort(@Nullable SendResult refusal) {
        return refusal == SendResult.RING_FULL || refusal == SendResult.NO_SLOT;
    }

    /**
     * Waits for what was missing for a frame of some length.
     *
     * @param missing RING_FULL or NO_SLOT
     * @return false if the time is over, or the link
     */
    // r[impl shm.wakeup.producer-wait] r[impl shm.wakeup.slot-wait]
    boolean await(int length, SendResult missing, long deadline) throws InterruptedException {
        try {
            if (missing == SendResult.RING_FULL) {
                return waiting.until(waiting.room(), sender.events().space(), hasEntry, deadline);
            }
            wanted = length;
            return waiting.until(waiting.room(), sender.events().slots(), hasSlot, deadline);
        } catch (PeerViolation | RegionTruncatedException | ClosedException | InternalError faulty) {
            throw life.failed(faulty);
        }
    }

    /** Waits for all that a frame of that length needs. False if the time is over, or the link. */
    boolean awaitAll(int length, Duration atMost) throws InterruptedException {
        wanted = length;
        SendResult missing = missing();
        if (missing == null) {
            return true;
        }
        long deadline = Deadlines.after(System.nanoTime(), atMost);
        boolean goesOn = true;
        while (goesOn && missing != null) {
            goesOn = await(length, missing, deadline);
            missing = missing();
        }
        return missing == null;
    }

    private @Nullable SendResult missing() {
        try {
            SendResult missing = !hasEntry.getAsBoolean()
                    ? SendResult.RING_FULL
                    : !hasSlot.getAsBoolean() ? SendResult.NO_SLOT : null;
            life.ensureThere();
            return missing;
        } catch (PeerViolation | RegionTruncatedException | ClosedException | InternalError faulty) {
            throw life.failed(faulty);
        }
    }
}

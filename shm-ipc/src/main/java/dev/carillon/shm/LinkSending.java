package dev.carillon.shm;

import dev.carillon.shm.doorbell.Doorbell;
import dev.carillon.shm.ring.CounterViolation;
import dev.carillon.shm.segment.FaultySegmentException;
import dev.carillon.shm.slot.SlotViolation;
import dev.carillon.sys.Deadlines;
import dev.carillon.sys.LoopThreads;
import java.time.Duration;
import java.util.function.BooleanSupplier;

/**
 * What the users of a link send with: it asks whether the link can be used, waits, and tells what the peer did wrong.
 *
 * <p><b>Threading:</b> one thread at a time.
 */
final class LinkSending {
    private final LinkLife life;
    private final LinkSender sender;
    private final LinkWait waiting;
    private final Doorbell bell;
    private final BooleanSupplier hasEntry;
    private final BooleanSupplier hasSlot;

    /** The length that a wait for a slot is for. */
    private int wanted;

    LinkSending(LinkLife life, LinkSender sender, LinkWait waiting, Doorbell bell) {
        this.life = life;
        this.sender = sender;
        this.waiting = waiting;
        this.bell = bell;
        hasEntry = sender::hasEntry;
        hasSlot = () -> sender.hasSlot(wanted);
    }

    SendResult trySend(Frame frame) {
        try {
            return life.carries() ? sender.trySend(frame) : life.gone();
        } catch (CounterViolation | SlotViolation | FaultySegmentException faulty) {
            throw life.failed(faulty);
        }
    }

    // r[impl shm.wakeup.producer-wait] r[impl shm.wakeup.slot-wait]
    SendResult send(Frame frame, Duration atMost) throws InterruptedException {
        LoopThreads.ensureMayBlock("ShmLink.send");
        SendResult result = trySend(frame);
        if (!isFull(result)) {
            return result;
        }
        long deadline = Deadlines.after(System.nanoTime(), atMost);
        while (awaitRoom(frame.length(), result, deadline)) {
            result = trySend(frame);
            if (!isFull(result)) {
                return result;
            }
        }
        return trySend(frame);
    }

    SendResult sendAndRing(Frame frame) {
        SendResult result = trySend(frame);
        if (result == SendResult.SENT) {
            bell.ring();
        }
        return result;
    }

    boolean awaitSpace(Duration atMost) throws InterruptedException {
        LoopThreads.ensureMayBlock("ShmLink.awaitSpace");
        try {
            life.ensureUsable();
            if (!sender.hasEntry()) {
                long deadline = Deadlines.after(System.nanoTime(), atMost);
                if (!waiting.until(sender.events().space(), hasEntry, deadline)) {
                    return false;
                }
            }
            return life.peerState() != PeerState.GONE;
        } catch (CounterViolation | FaultySegmentException faulty) {
            throw life.failed(faulty);
        }
    }

    /** Whether it can be worth to wait. */
    private static boolean isFull(SendResult result) {
        return result == SendResult.RING_FULL || result == SendResult.NO_SLOT;
    }

    /** Waits for what was missing: each condition has an event of its own, and a wait is for one of them. */
    private boolean awaitRoom(int length, SendResult full, long deadline) throws InterruptedException {
        try {
            if (full == SendResult.RING_FULL) {
                return waiting.until(sender.events().space(), hasEntry, deadline);
            }
            wanted = length;
            return waiting.until(sender.events().slots(), hasSlot, deadline);
        } catch (CounterViolation | SlotViolation | FaultySegmentException faulty) {
            throw life.failed(faulty);
        }
    }
}

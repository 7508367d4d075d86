package dev.carillon.shm;

import dev.carillon.ClosedException;
import dev.carillon.memory.RegionTruncatedException;
import dev.carillon.shm.doorbell.Doorbell;
import dev.carillon.shm.fault.PeerViolation;
import dev.carillon.sys.Deadlines;
import dev.carillon.sys.LoopThreads;
import java.time.Duration;

/**
 * What the users of a link send with: it asks whether the link can be used, waits, and tells what the peer did wrong.
 *
 * <p><b>Threading:</b> one thread at a time.
 */
final class LinkSending {
    private final LinkLife life;
    private final LinkSender sender;
    private final LinkRoom room;
    private final SendTurn turn;
    private final SenderCheck check;
    private final Doorbell bell;

    LinkSending(LinkLife life, LinkSender sender, LinkRoom room, SendTurn turn, SenderCheck check, Doorbell bell) {
        this.life = life;
        this.sender = sender;
        this.room = room;
        this.turn = turn;
        this.check = check;
        this.bell = bell;
    }

    SendResult trySend(Frame frame) {
        boolean entered = check.enter(life);
        // Another thread may be opening or closing a channel, which sends control frames.
        turn.take();
        try {
            return life.there(life.carries() ? sender.trySend(frame) : life.gone());
        } catch (PeerViolation | RegionTruncatedException | ClosedException | InternalError faulty) {
            throw life.failed(faulty);
        } finally {
            turn.give();
            check.exit(entered);
        }
    }

    SendResult send(Frame frame, Duration atMost) throws InterruptedException {
        LoopThreads.ensureMayBlock("ShmLink.send");
        boolean entered = check.enter(life);
        try {
            SendResult result = trySend(frame);
            if (!LinkRoom.isShort(result)) {
                return result;
            }
            long deadline = Deadlines.after(System.nanoTime(), atMost);
            boolean mayFit = true;
            while (mayFit && LinkRoom.isShort(result)) {
                mayFit = room.await(frame.length(), result, deadline);
                result = trySend(frame);
            }
            return result;
        } finally {
            check.exit(entered);
        }
    }

    SendResult sendAndRing(Frame frame) {
        SendResult result = trySend(frame);
        if (result == SendResult.SENT) {
            bell.ring();
        }
        return result;
    }

    boolean awaitSpace(int length, Duration atMost) throws InterruptedException {
        LoopThreads.ensureMayBlock("ShmLink.awaitSpace");
        boolean entered = check.enter(life);
        try {
            life.ensureUsable();
            sender.ensureFits(length);
            boolean isThere = room.awaitAll(length, atMost);
            life.ensureUsable();
            return isThere && !life.peerState().isOver();
        } finally {
            check.exit(entered);
        }
    }

    /** Who waits for room. */
    HalfWait half() {
        return room.half();
    }

    /** Whether a frame of that length has more bytes than an entry of the ring. */
    boolean needsSlot(int length) {
        return length > sender.inlineBytes();
    }

    /** Whether a frame of that length can be sent at all. */
    boolean fits(int length) {
        return length <= sender.maxLength();
    }
}

package dev.carillon.shm;

import dev.carillon.ClosedException;
import dev.carillon.memory.RegionTruncatedException;
import dev.carillon.shm.fault.PeerViolation;
import dev.carillon.sys.Deadlines;
import dev.carillon.sys.LoopThreads;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The claims of a link, one after the other.
 *
 * <p><b>Threading:</b> one thread at a time, but {@link #letGo}.
 */
final class LinkClaims {
    private final LinkLife life;
    private final LinkRoom room;
    private final LinkBuffer buffer;
    private final SendTurn turn;
    private final SenderCheck check;
    private final SlotWriter writer;
    private @Nullable SendResult refusal;

    LinkClaims(LinkLife life, LinkSender sender, LinkRoom room, LinkBuffer buffer, SendTurn turn, SenderCheck check) {
        this.life = life;
        this.room = room;
        this.buffer = buffer;
        this.turn = turn;
        this.check = check;
        writer = new SlotWriter(life, sender, turn, check);
    }

    @Nullable
    SlotWriter tryClaim(int length) {
        boolean entered = check.enter(life);
        turn.take();
        try {
            refusal = life.carries() ? writer.claim(length, buffer) : life.gone();
            life.ensureThere();
            return refusal == null ? writer : null;
        } catch (PeerViolation | RegionTruncatedException | ClosedException | InternalError faulty) {
            throw life.failed(faulty);
        } finally {
            turn.give();
            check.exit(entered);
        }
    }

    @Nullable
    SlotWriter awaitClaim(int length, Duration atMost) throws InterruptedException {
        LoopThreads.ensureMayBlock("ShmLink.awaitClaim");
        boolean entered = check.enter(life);
        try {
            SlotWriter claimed = tryClaim(length);
            SendResult missing = refusal;
            if (missing == null || !LinkRoom.isShort(missing)) {
                return claimed;
            }
            long deadline = Deadlines.after(System.nanoTime(), atMost);
            while (room.await(length, missing, deadline)) {
                claimed = tryClaim(length);
                missing = refusal;
                if (missing == null || !LinkRoom.isShort(missing)) {
                    return claimed;
                }
            }
            return tryClaim(length);
        } finally {
            check.exit(entered);
        }
    }

    @Nullable
    SendResult refusal() {
        return refusal;
    }

    /** By any thread. */
    void letGo() {
        writer.letGo();
    }
}

package dev.carillon.shm;

import dev.carillon.ClosedException;
import dev.carillon.memory.RegionTruncatedException;
import dev.carillon.shm.fault.PeerViolation;
import java.util.function.BooleanSupplier;

/**
 * How this side waits without a thread: it looks, announces that it listens for the bell, and looks again.
 *
 * <p><b>Threading:</b> that of the half it waits for.
 *
 * <p><b>Order:</b> a peer that publishes after the announcement rings; what it has published before that is seen by the second
 * look. So is a goodbye.
 */
final class LinkListening {
    private final LinkLife life;
    private final LinkReceiving receiving;
    private final LinkSender sender;
    private final SendTurn turn;

    LinkListening(LinkLife life, LinkReceiving receiving, LinkSender sender, SendTurn turn) {
        this.life = life;
        this.receiving = receiving;
        this.sender = sender;
        this.turn = turn;
    }

    /** Whether the peer has left; what it had published before may be there still. */
    boolean isOver() {
        return checked(() -> !life.carries());
    }

    boolean hasFrame() {
        return receiving.isThere();
    }

    boolean hasEntry() {
        return checked(this::isEntryThere);
    }

    /** Whether a frame of that length has its entry, and its slot if it needs one. */
    boolean hasRoom(int length) {
        sender.ensureFits(length);
        return checked(() -> isEntryThere() && isSlotThere(length));
    }

    /** Whether there is a frame or the link is over; if not, the peer rings when that changes. */
    // r[impl shm.wait.sleep-word]
    boolean dataOrListen() {
        return checked(() -> {
            if (hasDataOrEnd()) {
                return true;
            }
            receiving.events().data().prepareToListen();
            return hasDataOrEnd();
        });
    }

    private boolean hasDataOrEnd() {
        return receiving.isThere() || !life.carries();
    }

    /** Whether the ring takes a frame or the link is over; if not, the peer rings when that changes. */
    boolean spaceOrListen() {
        return checked(() -> {
            if (hasSpaceOrEnd()) {
                return true;
            }
            sender.events().space().prepareToListen();
            return hasSpaceOrEnd();
        });
    }

    private boolean hasSpaceOrEnd() {
        return isEntryThere() || !life.carries();
    }

    /** As {@link #spaceOrListen}, and where there is an entry, whether there is a slot of that length. */
    boolean roomOrListen(int length) {
        return spaceOrListen()
                && checked(() -> {
                    if (hasSlotOrEnd(length)) {
                        return true;
                    }
                    sender.events().slots().prepareToListen();
                    return hasSlotOrEnd(length);
                });
    }

    private boolean hasSlotOrEnd(int length) {
        return isSlotThere(length) || !life.carries();
    }

    private boolean isEntryThere() {
        return turn.look(sender::hasEntry);
    }

    private boolean isSlotThere(int length) {
        return turn.look(() -> sender.hasSlot(length));
    }

    private boolean checked(BooleanSupplier look) {
        life.ensureUsable();
        try {
            return life.there(look.getAsBoolean());
        } catch (PeerViolation | RegionTruncatedException | ClosedException | InternalError faulty) {
            throw life.failed(faulty);
        }
    }
}

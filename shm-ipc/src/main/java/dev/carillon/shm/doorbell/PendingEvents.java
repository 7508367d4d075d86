package dev.carillon.shm.doorbell;

import org.jspecify.annotations.Nullable;

/**
 * What was read from a bell and not delivered yet. The watch of a loop is edge-triggered, so what was read is remembered.
 *
 * <p><b>Threading:</b> the loop thread.
 */
final class PendingEvents {
    private final BellEnd end;
    private final DrainProgress draining = new DrainProgress(BellEnd.CAPACITY, DrainProgress.MAX_READS, true);

    /** A ring was read and not delivered yet. */
    private boolean rung;

    /** The end of the stream was read. */
    private boolean gone;

    /** Something was left unread, and no edge will announce it. */
    private boolean unread;

    PendingEvents(BellEnd end) {
        this.end = end;
    }

    /** Reads what is there; what a failure keeps from being read is unread. */
    // r[impl shm.doorbell.drain-order]
    void read() {
        unread = true;
        try {
            end.drain(draining);
            unread = draining.hasLeftSome();
        } finally {
            rung |= draining.hasRung();
            gone |= draining.sawEnd();
        }
    }

    /** The descriptor has changed, and is not read now. */
    void leaveUnread() {
        unread = true;
    }

    /** Takes the next event, or null; the death of the peer stays. */
    @Nullable
    DoorbellEvent take() {
        if (rung) {
            rung = false;
            return DoorbellEvent.RUNG;
        }
        return gone ? DoorbellEvent.PEER_GONE : null;
    }

    /** Gives an event back that was not received. */
    void giveBack(DoorbellEvent event) {
        rung |= event == DoorbellEvent.RUNG;
    }

    boolean hasRung() {
        return rung;
    }

    boolean isUnread() {
        return unread;
    }

    /** Whether there is an event, or may be one after a read. */
    boolean mayHaveSome() {
        return rung || gone || unread;
    }
}

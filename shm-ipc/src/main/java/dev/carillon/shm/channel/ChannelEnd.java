package dev.carillon.shm.channel;

/**
 * This side's end of one channel, from its OPEN until both sides have sent their last frame.
 *
 * <pre>
 * FREE -> OPENING (OPEN) -> OPEN (ACCEPT) -> HALF_CLOSED (CLOSE or RESET of one side) -> FREE (of the other one as well)
 * </pre>
 *
 * <p><b>Threading:</b> the table changes it, under its lock; any thread looks.
 */
// r[impl shm.channel]
public final class ChannelEnd {
    private final int id;
    private final boolean ours;
    private final SendCredit sending;
    private final ReceiveCredit receiving;

    private volatile boolean accepted;

    /** This side sends no more data; its last frame is written, or waits for room. */
    private volatile boolean closed;

    /** The last frame of this side is in the ring, or about to be: who holds the sending turn puts it there. */
    private volatile boolean ended;

    /** The last frame of the peer was read. */
    private volatile boolean peerEnded;

    /** One of the sides has reset it. */
    private volatile boolean reset;

    /** The peer has; it does so once. */
    private boolean peerReset;

    ChannelEnd(int id, boolean ours, SendCredit sending, ReceiveCredit receiving) {
        this.id = id;
        this.ours = ours;
        this.sending = sending;
        this.receiving = receiving;
    }

    /** The id. */
    public int id() {
        return id;
    }

    /** What this side may send. */
    public SendCredit sending() {
        return sending;
    }

    /** What the peer may send. */
    public ReceiveCredit receiving() {
        return receiving;
    }

    /** Whether this side sends no more data. */
    public boolean isClosed() {
        return closed;
    }

    /** Whether the peer sends no more data, and all that it sent has come. */
    public boolean isPeerEnded() {
        return peerEnded;
    }

    /** Whether one of the sides has reset it. */
    public boolean isReset() {
        return reset;
    }

    /** Whether both sides have sent their last frame; then the index may belong to a later channel already. */
    public boolean isFree() {
        return ended && peerEnded;
    }

    /** Its state. */
    public Phase phase() {
        if (isFree()) {
            return Phase.FREE;
        }
        if (closed || peerEnded) {
            return Phase.HALF_CLOSED;
        }
        return accepted ? Phase.OPEN : Phase.OPENING;
    }

    boolean isOurs() {
        return ours;
    }

    boolean isAccepted() {
        return accepted;
    }

    void accept() {
        accepted = true;
    }

    void close() {
        closed = true;
    }

    void reset() {
        closed = true;
        reset = true;
    }

    /** The last frame of this side is on its way. */
    void end() {
        ended = true;
        leaveIfFree();
    }

    void peerClosed() {
        peerEnded = true;
        leaveIfFree();
    }

    void peerReset() {
        if (peerReset) {
            throw ChannelViolation.of("a second RESET", id);
        }
        peerReset = true;
        if (isFree()) {
            // It has crossed the last frames; all that was sent has come.
            return;
        }
        // In this order: who sees the end knows already that it was no good one.
        reset = true;
        closed = true;
        if (!peerEnded) {
            peerEnded = true;
            leaveIfFree();
        }
    }

    private void leaveIfFree() {
        if (isFree()) {
            receiving.end();
        }
    }

    @Override
    public String toString() {
        return ChannelId.describe(id) + " " + phase() + (accepted ? " accepted" : "") + (closed ? " closed" : "")
                + (ended ? " ended" : "") + (peerEnded ? " peerEnded" : "") + (reset ? " reset" : "")
                + (peerReset ? " peerReset " : " ") + sending + " " + receiving;
    }

    /** How far a channel is. */
    public enum Phase {
        /** The side that did not ask for it has not accepted yet. */
        OPENING,

        /** Data goes both ways. */
        OPEN,

        /** One of the sides sends no more. */
        HALF_CLOSED,

        /** It is over. */
        FREE
    }
}

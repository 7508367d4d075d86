package dev.carillon.shm.doorbell;

import dev.carillon.sys.Errno;

/**
 * Reads a bell empty, result by result, and says what that means. The system calls are made by others.
 *
 * <p>A ring is told before a death: as long as bytes come, the end of the stream is left for the next time, when it is
 * still there.
 *
 * <p><b>Threading:</b> the reader's.
 */
final class Draining {
    /** A peer that rings all the time must not keep its reader from its work. */
    static final int MAX_READS = 16;

    private final int room;
    private final int mostReads;
    private final boolean untilEmpty;
    private int reads;
    private boolean rang;
    private boolean gone;
    private boolean left;

    /**
     * A draining that is used again and again.
     *
     * @param room bytes that one read takes; a read of fewer has taken all
     * @param untilEmpty goes on until the kernel says so: who is told of changes only may leave nothing unseen
     */
    Draining(int room, int mostReads, boolean untilEmpty) {
        this.room = room;
        this.mostReads = mostReads;
        this.untilEmpty = untilEmpty;
    }

    Draining begin() {
        reads = 0;
        rang = false;
        gone = false;
        left = true;
        return this;
    }

    /** Takes the result of a read: bytes, 0 at the end, or -errno; whether to read again. */
    boolean took(long result) {
        reads++;
        if (result > 0) {
            rang = true;
            left = untilEmpty || result == room;
        } else {
            left = false;
            gone = result == 0 || result == -Errno.ECONNRESET;
        }
        return left && reads < mostReads;
    }

    // r[impl shm.doorbell.death]
    DoorbellEvent event() {
        return rang ? DoorbellEvent.RUNG : gone ? DoorbellEvent.PEER_GONE : DoorbellEvent.TIMEOUT;
    }

    boolean hasRung() {
        return rang;
    }

    boolean sawEnd() {
        return gone;
    }

    int readsSoFar() {
        return reads;
    }

    /** Whether it stopped before the bell was empty. */
    boolean hasLeftSome() {
        return left;
    }
}

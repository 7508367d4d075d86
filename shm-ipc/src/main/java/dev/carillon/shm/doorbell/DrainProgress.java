package dev.carillon.shm.doorbell;

import dev.carillon.sys.Errno;

/**
 * How far a bell is drained: takes the result of each read, and says whether to read again and what the reads mean. The
 * system calls are made by {@link BellEnd}.
 *
 * <p>A ring comes before the death of the peer: as long as bytes come, the end of the stream is left for the next time,
 * when it is still there.
 *
 * <p><b>Threading:</b> the reader's.
 */
final class DrainProgress {
    /** A peer that rings all the time must not keep its reader from its work. */
    static final int MAX_READS = 16;

    private final int capacity;
    private final int maxReads;
    private final boolean untilEmpty;
    private int reads;
    private boolean rang;
    private boolean gone;
    private boolean left;

    /**
     * A draining that is used again and again.
     *
     * @param capacity bytes that one read takes; a read of fewer has taken all
     * @param untilEmpty goes on until the kernel says so: an edge-triggered watch reports no second time what was left
     */
    DrainProgress(int capacity, int maxReads, boolean untilEmpty) {
        this.capacity = capacity;
        this.maxReads = maxReads;
        this.untilEmpty = untilEmpty;
    }

    DrainProgress begin() {
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
            left = untilEmpty || result == capacity;
        } else {
            left = false;
            gone = result == 0 || result == -Errno.ECONNRESET;
        }
        return left && reads < maxReads;
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

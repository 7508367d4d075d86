package dev.carillon.shm;

import dev.carillon.memory.MemoryRegion;
import dev.carillon.shm.segment.LinkState;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The state of a link whose memory is a file: where that was truncated, the link is over.
 *
 * <p><b>Threading:</b> any thread.
 */
final class FileLinkStatus extends LinkStatus {
    private final LinkPages pages;

    /** A word was read that says that the peer is gone. */
    private volatile boolean left;

    private volatile boolean lost;

    /** As it was read last. */
    private volatile int pid;

    FileLinkStatus(MemoryRegion region, LinkState goodbye) {
        super(region.bytes(), goodbye);
        pages = new LinkPages(region);
    }

    @Override
    boolean canBeLost() {
        return true;
    }

    @Override
    PeerState peer() {
        PeerState seen = seen();
        return hasEnded() ? super.peer() : seen;
    }

    /** As the word says it; GONE if that is lost. */
    private PeerState seen() {
        PeerState[] state = {PeerState.GONE};
        if (unlessLost(() -> state[0] = super.peer())) {
            // A file that was made longer again has zeros.
            left |= !lost && state[0] == PeerState.GONE;
            return state[0];
        }
        return PeerState.GONE;
    }

    @Override
    int guestPid() {
        AtomicInteger now = new AtomicInteger();
        if (unlessLost(() -> now.set(super.guestPid()))) {
            pid = now.get();
        }
        return pid;
    }

    @Override
    void sayGoodbye() {
        unlessLost(super::sayGoodbye);
    }

    @Override
    boolean endReservation() {
        AtomicInteger ended = new AtomicInteger();
        return unlessLost(() -> ended.set(super.endReservation() ? 1 : 0)) && ended.get() == 1;
    }

    @Override
    PeerState lastPeer() {
        return seen();
    }

    @Override
    boolean isLost() {
        return lost && !left;
    }

    @Override
    void fail() {
        unlessLost(super::fail);
    }

    private boolean unlessLost(Runnable work) {
        boolean isThere = pages.unlessLost(work);
        if (!isThere) {
            lost = true;
            end();
        }
        return isThere;
    }
}

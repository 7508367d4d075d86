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
        PeerState[] state = {PeerState.GONE};
        unlessLost(() -> state[0] = super.peer());
        return hasEnded() ? super.peer() : state[0];
    }

    @Override
    int guestPid() {
        AtomicInteger pid = new AtomicInteger();
        return unlessLost(() -> pid.set(super.guestPid())) ? pid.get() : 0;
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
    void peerHasEnded() {
        unlessLost(super::peerHasEnded);
    }

    @Override
    void fail() {
        unlessLost(super::fail);
    }

    private boolean unlessLost(Runnable work) {
        boolean isThere = pages.unlessLost(work);
        if (!isThere) {
            end();
        }
        return isThere;
    }
}

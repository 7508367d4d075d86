package dev.carillon.shm;

import dev.carillon.memory.OrderedBytes;
import dev.carillon.shm.segment.FaultySegmentException;
import dev.carillon.shm.segment.LinkState;
import dev.carillon.shm.segment.LinkWord;
import dev.carillon.shm.segment.SegmentLayout;

/**
 * The state of a link, in the one word that both sides change.
 *
 * <p><b>Threading:</b> any thread.
 */
final class LinkStatus {
    private final OrderedBytes bytes;
    private final LinkState goodbye;

    /** A word that was seen and that means that frames go on; another thread may have seen a later one. */
    private volatile long open;

    /**
     * The state as one side sees it.
     *
     * @param goodbye what this side leaves behind
     */
    LinkStatus(OrderedBytes bytes, LinkState goodbye) {
        this.bytes = bytes;
        this.goodbye = goodbye;
        this.open = LinkWord.check(word());
    }

    private long word() {
        return bytes.getLongAcquire(SegmentLayout.LINK_WORD);
    }

    /** Whether no side has left; one load where nothing has changed. */
    boolean isOpen() {
        // In this order: a word that is loaded before cannot have come from one that another thread has seen after it.
        long before = open;
        long now = word();
        return now == before || becameOther(before, now);
    }

    private boolean becameOther(long before, long now) {
        PeerState state = peer(now);
        if (state == PeerState.GONE) {
            return false;
        }
        LinkWord.checkStep(before, now);
        open = now;
        return true;
    }

    PeerState peer() {
        return peer(word());
    }

    /** A word without meaning is that of a faulty peer, which is as good as gone. */
    private static PeerState peer(long word) {
        if (!LinkWord.isValid(word)) {
            return PeerState.GONE;
        }
        return switch (LinkWord.state(word)) {
            case RESERVED -> PeerState.EXPECTED;
            case ATTACHED -> PeerState.ATTACHED;
            case GOODBYE_HOST, GOODBYE_GUEST, DEAD -> PeerState.GONE;
        };
    }

    /** The pid of the guest, 0 if none has come. */
    int guestPid() {
        long now = word();
        return LinkWord.isValid(now) ? LinkWord.pid(now) : 0;
    }

    /**
     * The guest is there.
     *
     * @throws FaultySegmentException if the word has no meaning
     * @throws IllegalStateException if another one came before, or the host has left
     */
    // r[impl shm.link-word]
    void attach(int pid) {
        while (true) {
            long now = word();
            if (LinkWord.state(now) != LinkState.RESERVED) {
                throw new IllegalStateException("the link is no longer reserved: " + LinkWord.describe(now)
                        + "; a ticket is for one guest, ask the host for another one");
            }
            if (bytes.compareAndSetLong(SegmentLayout.LINK_WORD, now, LinkWord.attached(now, pid))) {
                return;
            }
        }
    }

    /** This side leaves. A peer that left before, or has destroyed the word, keeps it as it is. */
    void sayGoodbye() {
        long now = word();
        while (peer(now) != PeerState.GONE) {
            LinkState next = LinkWord.state(now) == LinkState.RESERVED ? LinkState.DEAD : goodbye;
            if (bytes.compareAndSetLong(SegmentLayout.LINK_WORD, now, LinkWord.with(now, next))) {
                return;
            }
            now = word();
        }
    }

    /** The link has failed: frames go neither way any more. */
    void fail() {
        long now = word();
        while (LinkWord.isValid(now) && LinkWord.state(now) != LinkState.DEAD) {
            if (bytes.compareAndSetLong(SegmentLayout.LINK_WORD, now, LinkWord.with(now, LinkState.DEAD))) {
                return;
            }
            now = word();
        }
    }

    @Override
    public String toString() {
        return LinkWord.describe(word());
    }
}

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
class LinkStatus {
    /** A correct peer changes the word three times at most, so that no change of this side fails more often than that. */
    private static final int TRIES = 16;

    private final OrderedBytes bytes;
    private final LinkState goodbye;

    /** A word that was seen and that means that frames go on; another thread may have seen a later one. */
    private volatile long open;

    /** The peer is gone for good, whatever it or its heirs have written into the word. */
    private volatile boolean ended;

    /** It is gone, and has not said goodbye. */
    private volatile boolean died;

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

    /** Whether the word can be gone at any time, because its file was truncated. */
    boolean canBeLost() {
        return false;
    }

    /** From here on no frames go on, whatever is in the word. */
    void end() {
        ended = true;
    }

    boolean hasEnded() {
        return ended;
    }

    /** Whether no side has left; one load where nothing has changed. */
    boolean isOpen() {
        if (ended) {
            return false;
        }
        // In this order: a word that is loaded before cannot have come from one that another thread has seen after it.
        long before = open;
        long now = word();
        return now == before || becameOther(before, now);
    }

    private boolean becameOther(long before, long now) {
        if (peer(now) == PeerState.GONE) {
            return false;
        }
        LinkWord.checkStep(before, now);
        open = now;
        return true;
    }

    PeerState peer() {
        return ended ? died ? PeerState.DEAD : PeerState.GONE : peer(word());
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
     * @throws IllegalStateException if another one came before, or the host has left, or is faulty
     */
    // r[impl shm.link-word]
    void attach(int pid) {
        for (int i = 0; i < TRIES; i++) {
            long now = word();
            if (LinkWord.state(now) != LinkState.RESERVED) {
                throw new IllegalStateException("the link is no longer reserved: " + LinkWord.describe(now)
                        + "; a ticket is for one guest, and for some time: ask the host for another one");
            }
            if (replace(now, LinkWord.attached(now, pid))) {
                return;
            }
        }
        throw FaultyPeerException.ofLinkWord("the link word does not stand still: it has changed " + TRIES
                + " times while this side attached; the host is faulty, ask it for another link");
    }

    /** This side leaves. A peer that left before, or has destroyed the word, keeps it as it is. */
    void sayGoodbye() {
        long now = word();
        for (int i = 0; peer(now) != PeerState.GONE; i++) {
            LinkState next = LinkWord.state(now) == LinkState.RESERVED ? LinkState.DEAD : goodbye;
            if (changed(now, next, i)) {
                return;
            }
            now = word();
        }
    }

    /** No guest may come any more; false if one is there, or the link is over. */
    boolean endReservation() {
        long now = word();
        return LinkWord.isValid(now)
                && LinkWord.state(now) == LinkState.RESERVED
                && bytes.compareAndSetLong(SegmentLayout.LINK_WORD, now, LinkWord.with(now, LinkState.DEAD));
    }

    /**
     * The peer is gone, be it after a goodbye or without one.
     *
     * @param wasStarted whether there was a process that had not attached yet; otherwise nobody has died who never came
     */
    // r[impl shm.death.told]
    final void peerHasEnded(boolean wasStarted) {
        PeerState last = lastPeer();
        died = last == PeerState.ATTACHED || (last == PeerState.EXPECTED && wasStarted);
        ended = true;
        fail();
    }

    /** What the word says. */
    PeerState lastPeer() {
        return peer(word());
    }

    /** Whether the peer is gone without a goodbye. */
    boolean hasDied() {
        return died;
    }

    /** Whether the memory was lost before a goodbye was read, so that none will be. */
    boolean isLost() {
        return false;
    }

    /** How often the id of the peer was used, as it was when this side came. */
    int incarnation() {
        return LinkWord.incarnation(open);
    }

    /** The link has failed: frames go neither way any more. */
    void fail() {
        long now = word();
        for (int i = 0; LinkWord.isValid(now) && LinkWord.state(now) != LinkState.DEAD; i++) {
            if (changed(now, LinkState.DEAD, i)) {
                return;
            }
            now = word();
        }
    }

    /** A peer that changes the word all the time holds up nobody: after some tries it is overwritten. */
    private boolean changed(long from, LinkState to, int tries) {
        long next = LinkWord.with(from, to);
        if (tries < TRIES) {
            return replace(from, next);
        }
        bytes.putLongVolatile(SegmentLayout.LINK_WORD, next);
        return true;
    }

    /** False if the peer was faster. */
    boolean replace(long from, long to) {
        return bytes.compareAndSetLong(SegmentLayout.LINK_WORD, from, to);
    }

    @Override
    public String toString() {
        return LinkWord.describe(word());
    }
}

package dev.carillon.shm;

import dev.carillon.futex.EventCount;
import dev.carillon.shm.channel.ChannelEnd;
import dev.carillon.shm.channel.FrameCost;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * What has come on a channel: copies of the frames that somebody else has found in the ring. Credit bounds them.
 *
 * <p><b>Threading:</b> {@link #keep} and {@link #discard}: the thread that receives on the link; the rest: the one that
 * takes the frames of the channel.
 */
final class ChannelInbox {
    private final ChannelEnd end;
    private final EventCount credit;
    private final EventCount peerCredit;

    /** How many frames are kept in all inboxes. */
    private final AtomicInteger allKept;

    private final Runnable tell;

    private final KeptFrames kept = new KeptFrames();

    /** Whether a poll of the whole link hands out what is kept. */
    private boolean isShared = true;

    private volatile boolean hasReader;
    private volatile boolean grantsItself = true;

    /**
     * An empty one.
     *
     * @param credit what this side waits on to send
     * @param peerCredit what the peer waits on
     * @param tell tells the loop of this side, if there is one, what a thread of it has changed
     */
    ChannelInbox(ChannelEnd end, EventCount credit, EventCount peerCredit, AtomicInteger allKept, Runnable tell) {
        this.end = end;
        this.credit = credit;
        this.peerCredit = peerCredit;
        this.allKept = allKept;
        this.tell = tell;
    }

    ChannelEnd end() {
        return end;
    }

    EventCount credit() {
        return credit;
    }

    void grantsItself(boolean does) {
        grantsItself = does;
    }

    /** The state of the channel has changed: who sends on it on either side looks at it. */
    void wakeSenders() {
        credit.signal();
        peerCredit.signal();
        tell.run();
    }

    /** Needs no memory of the heap. */
    synchronized void keep(KeptFrames.Kept copy) {
        kept.add(copy);
        if (isShared) {
            allKept.incrementAndGet();
        }
    }

    synchronized boolean isEmpty() {
        return kept.isEmpty();
    }

    /** The oldest frame that was kept. */
    synchronized @Nullable Frame take() {
        Frame frame = kept.poll();
        if (frame != null) {
            if (isShared) {
                allKept.decrementAndGet();
            }
            consumed(frame.length());
        }
        return frame;
    }

    /** Somebody receives on this channel by itself. */
    void read() {
        hasReader = true;
    }

    /** The index belongs to another channel now. Whether a poll of the whole link still hands out what is kept. */
    synchronized boolean isLeftToAll() {
        if (hasReader && isShared) {
            allKept.addAndGet(-kept.size());
            isShared = false;
        }
        return isShared && !kept.isEmpty();
    }

    /** Hands out so many of the kept frames at most. */
    int drain(FrameHandler handler, int limit) {
        int shown = 0;
        try {
            while (shown < limit && EndingHandler.wantsMore(handler)) {
                Frame frame = take();
                if (frame == null) {
                    return shown;
                }
                shown++;
                handler.onFrame(frame);
            }
            return shown;
        } finally {
            grantAll();
        }
    }

    /** Of a channel that was reset nothing is received any more. */
    void discard() {
        Frame dropped = take();
        while (dropped != null) {
            dropped = take();
        }
    }

    /** A frame is taken; it is granted again later, when it was read. */
    void consumed(int length) {
        end.receiving().consumed(FrameCost.of(length));
    }

    /** Grants what was read so far, if it is much. */
    void grantHalf() {
        if (grantsItself && end.receiving().grantHalf()) {
            peerCredit.signal();
        }
    }

    /** Grants what was read, if it is much or all there is: the peer may wait for a whole window. */
    void grantAll() {
        if (grantsItself && (end.receiving().grantHalf() || end.receiving().grantAll())) {
            peerCredit.signal();
        }
    }

    void grant(long cost) {
        if (grantsItself) {
            throw new IllegalStateException(
                    "the channel grants by itself what was received; turn that off with grantsItself(false)");
        }
        if (end.receiving().grant(cost)) {
            peerCredit.signal();
        }
    }
}

package dev.carillon.shm;

import dev.carillon.sys.Deadlines;
import dev.carillon.sys.LoopThreads;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Sends over a link for many threads.
 *
 * <p>One thread at a time writes; that is one lock more per frame, without a system call as long as no two threads want it at
 * the same moment. Those who find no room queue up: the first of them waits for room, the others wait for their turn, in
 * the order in which they came, and each only as long as it said. Nobody else takes room for which somebody waits.
 * The frames of one thread arrive in their order.
 *
 * <p>While it is used, nothing else is sent over the link but on channels, which take turns with it.
 *
 * <p><b>Threading:</b> any threads.
 */
// r[impl shm.senders]
public final class SharedSender {
    private final LinkSending sending;
    private final LinkBatches batches;
    private final LinkRoom room;

    private final SendTurn turn;

    /** Of many threads the one that writes; it takes the turn for each frame. Nobody waits for the peer with it. */
    private final ReentrantLock writing = new ReentrantLock();

    /**
     * Those who wait, in the order in which they came; the first waits for room. Who has {@link #writing} sees and changes
     * it. A queue that grows in its add would lose them all where the heap is full.
     */
    private final Queue<InLine> line = new ConcurrentLinkedQueue<>();

    /** What the first of them has found missing; null if it has not tried yet. As the line. */
    private @Nullable SendResult missing;

    /** How many are in the line. */
    private volatile int inLine;

    /** How many of them need no slot. */
    private int inLineForRing;

    SharedSender(LinkSending sending, LinkBatches batches, LinkRoom room, SendTurn turn) {
        this.sending = sending;
        this.batches = batches;
        this.room = room;
        this.turn = turn;
    }

    /** Sends a frame if there is room for it that nobody waits for; never waits for the peer. */
    public SendResult trySend(Frame frame) {
        writing.lock();
        try {
            // The look at the line and the send are one step: nobody can have come, or had his turn, in between.
            return isAwaited(frame) ? refusal(frame) : sendNow(frame);
        } finally {
            writing.unlock();
        }
    }

    /** With the turn from its first step on: one that sends on a channel meanwhile is no second sender. */
    private SendResult sendNow(Frame frame) {
        turn.take();
        try {
            return sending.trySend(frame);
        } finally {
            turn.give();
        }
    }

    private int sendNow(int most, BatchWriter writer) {
        turn.take();
        try {
            return batches.send(most, writer);
        } finally {
            turn.give();
        }
    }

    /** Whether somebody waits for room that a frame would take. One without a slot takes nothing from those who want slots. */
    private boolean isAwaited(Frame frame) {
        if (inLine == 0 || !sending.fits(frame.length())) {
            return false;
        }
        return missing != SendResult.NO_SLOT || inLineForRing > 0 || sending.needsSlot(frame.length());
    }

    private SendResult refusal(Frame frame) {
        boolean wantsTheirSlot = missing == SendResult.NO_SLOT && sending.needsSlot(frame.length());
        return wantsTheirSlot ? SendResult.NO_SLOT : SendResult.RING_FULL;
    }

    /**
     * Sends a frame, and waits until it is this thread's turn and there is room.
     *
     * @param atMost how long in all; what is negative is none
     * @return as {@link ShmLink#send}
     * @throws InterruptedException if the thread is interrupted while it waits; the frame is not sent then
     */
    public SendResult send(Frame frame, Duration atMost) throws InterruptedException {
        LoopThreads.ensureMayBlock("SharedSender.send");
        InLine me;
        writing.lock();
        try {
            SendResult result = trySend(frame);
            if (!LinkRoom.isShort(result) || atMost.isNegative() || atMost.isZero()) {
                return result;
            }
            me = new InLine(writing.newCondition(), sending.needsSlot(frame.length()));
            line.add(me);
            count(me, 1);
        } finally {
            writing.unlock();
        }
        return sendInTurn(frame, me, Deadlines.after(System.nanoTime(), atMost));
    }

    private SendResult sendInTurn(Frame frame, InLine me, long deadline) throws InterruptedException {
        boolean mayFit = true;
        boolean stays;
        SendResult result;
        do {
            writing.lock();
            stays = false;
            try {
                if (!isFirst(me, deadline)) {
                    leave(me);
                    return trySend(frame);
                }
                result = sendNow(frame);
                stays = mayFit && LinkRoom.isShort(result);
                missing = result;
            } finally {
                if (!stays) {
                    leave(me);
                }
                writing.unlock();
            }
            if (stays) {
                mayFit = awaitRoom(frame, me, result, deadline);
            }
        } while (stays);
        return result;
    }

    /** Waits for the turn, which lets go of the lock. False if the time is over. */
    private boolean isFirst(InLine me, long deadline) throws InterruptedException {
        while (line.peek() != me) {
            long left = Deadlines.until(deadline, System.nanoTime());
            if (left <= 0 || me.first.awaitNanos(left) <= 0) {
                return line.peek() == me;
            }
        }
        return true;
    }

    private boolean awaitRoom(Frame frame, InLine me, SendResult lacking, long deadline) throws InterruptedException {
        boolean waited = false;
        try {
            boolean mayFit = room.await(frame.length(), lacking, deadline);
            waited = true;
            return mayFit;
        } finally {
            if (!waited) {
                writing.lock();
                try {
                    leave(me);
                } finally {
                    writing.unlock();
                }
            }
        }
    }

    /** The next one has its turn; by who has {@link #writing}. A second time is nothing. */
    private void leave(InLine me) {
        boolean wasFirst = line.peek() == me;
        if (line.remove(me)) {
            count(me, -1);
        }
        if (wasFirst) {
            missing = null;
            InLine next = line.peek();
            if (next != null) {
                next.first.signal();
            }
        }
    }

    private void count(InLine one, int change) {
        inLine = line.size();
        inLineForRing += one.needsSlot ? 0 : change;
    }

    /**
     * Writes a batch as {@link ShmLink#sendBatch}; the other senders are held up until it is written. Where somebody waits
     * for room it sends nothing.
     */
    public int sendBatch(int most, BatchWriter writer) {
        writing.lock();
        try {
            return inLine == 0 ? sendNow(most, writer) : 0;
        } finally {
            writing.unlock();
        }
    }

    @Override
    public String toString() {
        return "SharedSender[waiting=" + inLine + "]";
    }

    /** One who waits. */
    private static final class InLine {
        /** Signalled when it is the first. */
        private final Condition first;

        private final boolean needsSlot;

        private InLine(Condition first, boolean needsSlot) {
            this.first = first;
            this.needsSlot = needsSlot;
        }
    }
}

package dev.carillon.shm;

import dev.carillon.sys.Deadlines;
import dev.carillon.sys.LoopThreads;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Sends over a link for many threads.
 *
 * <p>One thread at a time writes; that is one lock more per frame, without a system call as long as no two threads want it at
 * the same moment. Those who find no room queue up: the first of them waits for room, the others wait for their turn, in
 * the order in which they came, and each only as long as it said. {@link #trySend} takes no room for which somebody waits.
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

    /** Who writes. Nobody waits for the peer with it. */
    private final ReentrantLock writing;

    /** Those who wait for room, in order; the owner is the first of them. */
    private final ReentrantLock turns = new ReentrantLock(true);

    /** What the first of them waits for. */
    private volatile @Nullable SendResult awaited;

    SharedSender(LinkSending sending, LinkBatches batches, LinkRoom room, ReentrantLock writing) {
        this.sending = sending;
        this.batches = batches;
        this.room = room;
        this.writing = writing;
    }

    /** Sends a frame if there is room for it that nobody waits for; never waits for the peer. */
    public SendResult trySend(Frame frame) {
        SendResult first = awaited;
        boolean isAwaited =
                first == SendResult.RING_FULL || (first == SendResult.NO_SLOT && sending.needsSlot(frame.length()));
        return first != null && isAwaited && sending.fits(frame.length()) ? first : sendNow(frame);
    }

    private SendResult sendNow(Frame frame) {
        writing.lock();
        try {
            return sending.trySend(frame);
        } finally {
            writing.unlock();
        }
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
        if (!turns.isLocked()) {
            SendResult result = sendNow(frame);
            if (!LinkRoom.isShort(result)) {
                return result;
            }
        }
        long deadline = Deadlines.after(System.nanoTime(), atMost);
        if (!turns.tryLock(Deadlines.until(deadline, System.nanoTime()), TimeUnit.NANOSECONDS)) {
            return trySend(frame);
        }
        try {
            return sendInTurn(frame, deadline);
        } finally {
            awaited = null;
            turns.unlock();
        }
    }

    private SendResult sendInTurn(Frame frame, long deadline) throws InterruptedException {
        SendResult result = sendNow(frame);
        while (LinkRoom.isShort(result)) {
            awaited = result;
            boolean mayFit = room.await(frame.length(), result, deadline);
            result = sendNow(frame);
            if (!mayFit) {
                return result;
            }
        }
        return result;
    }

    /**
     * Writes a batch as {@link ShmLink#sendBatch}; the other senders are held up until it is written. Where somebody waits
     * for room it sends nothing.
     */
    public int sendBatch(int most, BatchWriter writer) {
        if (awaited != null) {
            return 0;
        }
        writing.lock();
        try {
            return batches.send(most, writer);
        } finally {
            writing.unlock();
        }
    }

    @Override
    public String toString() {
        return "SharedSender[waiting=" + (turns.getQueueLength() + (turns.isLocked() ? 1 : 0)) + "]";
    }
}

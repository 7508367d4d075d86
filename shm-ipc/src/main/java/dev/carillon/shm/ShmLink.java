package dev.carillon.shm;

import dev.carillon.ClosedException;
import dev.carillon.memory.MemoryRegion;
import dev.carillon.shm.doorbell.Doorbell;
import dev.carillon.shm.ring.CounterViolation;
import dev.carillon.shm.ring.EntryViolation;
import dev.carillon.shm.segment.FaultySegmentException;
import dev.carillon.shm.slot.SlotViolation;
import dev.carillon.sys.Deadlines;
import dev.carillon.sys.LoopThreads;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One end of a link between a host and a guest: frames go both ways through memory that both have mapped.
 *
 * <pre>{@code
 * link.send(Frame.of(REQUEST, id, bytes), Duration.ofSeconds(1));
 * Frame reply = link.receive(Duration.ofSeconds(1));
 * }</pre>
 *
 * <p>Frames arrive in the order in which they were sent, each once. A frame that fits into an entry of the ring goes there,
 * a longer one into a slot. Where there is no room a send waits, or says so: it never drops a frame.
 *
 * <p><b>Threading:</b> one thread at a time sends, and one receives; they may be two. {@link #close}, {@link #peerState},
 * {@link #stats}: any thread. What waits blocks, and is refused on loop threads in checked mode.
 *
 * <p><b>Ownership:</b> the code that has it closes it, after its users have stopped.
 */
public final class ShmLink implements AutoCloseable {
    private static final long CLOSE_PATIENCE_NANOS = 1_000_000_000L;
    private static final long CLOSE_POLL_NANOS = 50_000;

    private final int peerId;
    private final MemoryRegion region;
    private final Doorbell bell;
    private final LinkStatus status;
    private final LinkSender sender;
    private final LinkReceiver receiver;
    private final LinkWait waiting;
    private final BooleanSupplier hasFrame;
    private final BooleanSupplier hasEntry;
    private final AtomicBoolean closed = new AtomicBoolean();
    private volatile @Nullable RuntimeException failure;

    ShmLink(LinkMemory memory, LinkMemory.Side side, Doorbell bell) {
        this.peerId = memory.header().identity().peerId();
        this.region = memory.region();
        this.bell = bell;
        status = memory.status(side);
        sender = memory.sender(side, this::ringForListener);
        receiver = memory.receiver(side, this::ringForListener);
        waiting = new LinkWait(status);
        hasFrame = receiver::hasFrame;
        hasEntry = sender::hasEntry;
    }

    /** Which of the host's guests is, or is on, the other side: 1 to 255. */
    public int peerId() {
        return peerId;
    }

    /** Whether this end was not closed. */
    public boolean isOpen() {
        return !closed.get();
    }

    /** How far the other side has come. */
    public PeerState peerState() {
        try {
            return failure == null ? status.peer() : PeerState.GONE;
        } catch (ClosedException over) {
            return PeerState.GONE;
        }
    }

    /** The most bytes that a frame of this side can have. */
    public int maxLength() {
        return sender.maxLength();
    }

    /** Sends a frame if there is room for it now; never waits. */
    public SendResult trySend(Frame frame) {
        return trySend(frame.type(), frame.flags(), frame.id(), frame.payload());
    }

    /** As {@link #trySend(Frame)}, without an object for the frame. The position of the payload moves to its limit. */
    SendResult trySend(int type, int flags, long id, ByteBuffer payload) {
        try {
            return status.isOpen() ? sender.trySend(type, flags, id, payload) : gone();
        } catch (CounterViolation | SlotViolation | FaultySegmentException faulty) {
            throw failed(faulty);
        }
    }

    private SendResult gone() {
        ensureUsable();
        return SendResult.PEER_GONE;
    }

    /**
     * Sends a frame, and waits until there is room for it.
     *
     * @param atMost how long; what is negative is none
     * @return SENT, TOO_LARGE or PEER_GONE; or, when the time is over, why there is no room: RING_FULL or NO_SLOT
     * @throws InterruptedException if the thread is interrupted while it waits; the frame is not sent then
     */
    // r[impl shm.wakeup.producer-wait] r[impl shm.wakeup.slot-wait]
    public SendResult send(Frame frame, Duration atMost) throws InterruptedException {
        LoopThreads.ensureMayBlock("ShmLink.send");
        SendResult result = trySend(frame);
        if (result != SendResult.RING_FULL && result != SendResult.NO_SLOT) {
            return result;
        }
        long deadline = Deadlines.after(System.nanoTime(), atMost);
        while (awaitRoom(frame, result, deadline)) {
            result = trySend(frame);
            if (result != SendResult.RING_FULL && result != SendResult.NO_SLOT) {
                return result;
            }
        }
        return trySend(frame);
    }

    private boolean awaitRoom(Frame frame, SendResult full, long deadline) throws InterruptedException {
        try {
            return full == SendResult.RING_FULL
                    ? waiting.until(sender.events().space(), hasEntry, deadline)
                    : waiting.until(sender.events().slots(), () -> sender.hasSlot(frame.length()), deadline);
        } catch (CounterViolation | SlotViolation | FaultySegmentException faulty) {
            throw failed(faulty);
        }
    }

    /** As {@link #trySend}, and rings the peer's bell, also where it does not sleep: for a peer that watches the bell. */
    public SendResult sendAndRing(Frame frame) {
        SendResult result = trySend(frame);
        if (result == SendResult.SENT) {
            bell.ring();
        }
        return result;
    }

    /**
     * Hands out frames that are there, so many at most; never waits.
     *
     * @return how many; a frame that its handler throws at is consumed
     * @throws IllegalStateException in a handler, or while another thread polls
     */
    public int poll(FrameHandler handler, int limit) {
        Objects.requireNonNull(handler, "handler");
        try {
            ensureUsable();
            return receiver.poll(handler, limit);
        } catch (CounterViolation | EntryViolation | SlotViolation faulty) {
            throw failed(faulty);
        }
    }

    /**
     * The next frame, as a copy.
     *
     * @param atMost how long to wait for one
     * @return null if none came, be it in time or because the peer is gone: {@link #peerState} tells
     */
    public @Nullable Frame receive(Duration atMost) throws InterruptedException {
        if (!awaitData(atMost)) {
            return null;
        }
        Frame[] received = new Frame[1];
        poll(frame -> received[0] = frame.copy(), 1);
        return received[0];
    }

    /** Waits until a frame is there. False if the time is over, or the peer is gone and all its frames were received. */
    // r[impl shm.wakeup.consumer-wait]
    public boolean awaitData(Duration atMost) throws InterruptedException {
        LoopThreads.ensureMayBlock("ShmLink.awaitData");
        return await(true, atMost);
    }

    /** Waits until the ring has room for a frame. False if the time is over, or the peer is gone. */
    public boolean awaitSpace(Duration atMost) throws InterruptedException {
        LoopThreads.ensureMayBlock("ShmLink.awaitSpace");
        return await(false, atMost) && peerState() != PeerState.GONE;
    }

    private boolean await(boolean forData, Duration atMost) throws InterruptedException {
        try {
            ensureUsable();
            BooleanSupplier condition = forData ? hasFrame : hasEntry;
            if (condition.getAsBoolean()) {
                return true;
            }
            long deadline = Deadlines.after(System.nanoTime(), atMost);
            return waiting.until(
                    forData ? receiver.events().data() : sender.events().space(), condition, deadline);
        } catch (CounterViolation | FaultySegmentException faulty) {
            throw failed(faulty);
        }
    }

    /** What has gone through it so far. */
    public LinkStats stats() {
        return new LinkStats(sender.frames(), sender.payload(), receiver.frames(), receiver.payload());
    }

    /**
     * Says goodbye and lets go of the memory. The peer can still receive what was sent before, and then finds this side
     * gone. All waits end. A second call does nothing.
     */
    // r[impl shm.detach]
    @Override
    public void close() {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        try {
            status.sayGoodbye();
            wakeAll();
            bell.ring();
            awaitHandlers();
        } finally {
            try {
                receiver.letGo();
                region.close();
            } finally {
                bell.close();
            }
        }
    }

    /** What a handler reads on another thread has to stay for a while. */
    private void awaitHandlers() {
        long deadline = System.nanoTime() + CLOSE_PATIENCE_NANOS;
        while (receiver.isPollingElsewhere() && System.nanoTime() - deadline < 0) {
            LockSupport.parkNanos(this, CLOSE_POLL_NANOS);
        }
    }

    private void wakeAll() {
        sender.events().wakeAll();
        receiver.events().wakeAll();
    }

    private void ensureUsable() {
        RuntimeException failed = failure;
        if (failed != null) {
            throw failed;
        }
        if (closed.get()) {
            throw new ClosedException(this + " was used after it was closed");
        }
    }

    /** The peer has written what no correct peer writes; or this side has closed the memory, which reads as zeros then. */
    private RuntimeException failed(RuntimeException faulty) {
        if (closed.get()) {
            return new ClosedException(this + " was closed while it was used");
        }
        IllegalStateException failed = new IllegalStateException(
                this + " has failed and carries nothing any more: " + faulty.getMessage(), faulty);
        failure = failed;
        status.fail();
        wakeAll();
        bell.ring();
        return failed;
    }

    private void ringForListener() {
        bell.ring();
    }

    @Override
    public String toString() {
        return "ShmLink[peer=" + peerId + ", " + (closed.get() ? "closed" : peerState()) + "]";
    }
}

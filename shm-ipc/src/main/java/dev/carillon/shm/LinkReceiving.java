package dev.carillon.shm;

import dev.carillon.ClosedException;
import dev.carillon.memory.RegionTruncatedException;
import dev.carillon.shm.fault.PeerViolation;
import dev.carillon.sys.Deadlines;
import dev.carillon.sys.LoopThreads;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What the users of a link receive with: it asks whether the link can be used, waits, and tells what the peer did wrong.
 *
 * <p><b>Threading:</b> one thread at a time, but {@link #awaitHandlers}.
 */
final class LinkReceiving {
    private static final long CLOSE_PATIENCE_NANOS = 1_000_000_000L;
    private static final long CLOSE_POLL_NANOS = 50_000;

    private final LinkLife life;
    private final LinkReceiver receiver;
    private final LinkWait waiting;
    private final ChannelDesk channels;
    private final BooleanSupplier hasFrame;

    LinkReceiving(LinkLife life, LinkReceiver receiver, LinkWait waiting, ChannelDesk channels) {
        this.life = life;
        this.receiver = receiver;
        this.waiting = waiting;
        this.channels = channels;
        hasFrame = () -> channels.hasKept() || receiver.hasFrame();
    }

    int poll(FrameHandler handler, int limit) {
        Objects.requireNonNull(handler, "handler");
        if (limit < 0) {
            throw new IllegalArgumentException("limit=" + limit + ": how many frames at most, 0 or more");
        }
        try {
            life.ensureUsable();
            // What was kept has come before what is in the ring.
            int kept = channels.hasKept() ? channels.drain(handler, limit) : 0;
            int polled = kept + receiver.poll(handler, limit - kept);
            life.ensureThere();
            return polled;
        } catch (PeerViolation | RegionTruncatedException | ClosedException | InternalError faulty) {
            throw life.failed(faulty);
        }
    }

    @Nullable
    Frame receive(Duration atMost) throws InterruptedException {
        if (!awaitData(atMost)) {
            return null;
        }
        Frame frame = tryReceive();
        if (frame == null) {
            // What was there is of a channel that was reset, and for nobody.
            long deadline = Deadlines.after(System.nanoTime(), atMost);
            while (frame == null && awaitData(deadline)) {
                frame = tryReceive();
            }
        }
        return frame;
    }

    /** The next frame that is there, as a copy; never waits. */
    @Nullable
    Frame tryReceive() {
        FrameCopy copy = new FrameCopy();
        receiver.reserveIn(copy);
        try {
            poll(copy, 1);
        } finally {
            receiver.reserveIn(null);
        }
        return copy.received();
    }

    // r[impl shm.wakeup.consumer-wait]
    boolean awaitData(Duration atMost) throws InterruptedException {
        LoopThreads.ensureMayBlock("ShmLink.awaitData");
        return isThere() || awaitData(Deadlines.after(System.nanoTime(), atMost));
    }

    /** Whether there is a frame now; never waits. */
    boolean isThere() {
        try {
            life.ensureUsable();
            return life.there(hasFrame.getAsBoolean());
        } catch (PeerViolation | RegionTruncatedException | ClosedException | InternalError faulty) {
            throw life.failed(faulty);
        }
    }

    private boolean awaitData(long deadline) throws InterruptedException {
        try {
            boolean isThere = waiting.until(waiting.data(), receiver.events().data(), hasFrame, deadline);
            life.ensureThere();
            life.ensureUsable();
            return isThere;
        } catch (PeerViolation | RegionTruncatedException | ClosedException | InternalError faulty) {
            throw life.failed(faulty);
        }
    }

    /** Who waits for frames. */
    HalfWait half() {
        return waiting.data();
    }

    LinkEvents events() {
        return receiver.events();
    }

    /** What a handler reads on another thread has to stay for a while. */
    void awaitHandlers() {
        long deadline = System.nanoTime() + CLOSE_PATIENCE_NANOS;
        while (receiver.isPollingElsewhere() && System.nanoTime() - deadline < 0) {
            LockSupport.parkNanos(this, CLOSE_POLL_NANOS);
        }
    }
}

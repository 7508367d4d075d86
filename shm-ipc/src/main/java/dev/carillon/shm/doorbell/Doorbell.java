package dev.carillon.shm.doorbell;

import dev.carillon.HeldDescriptor;
import dev.carillon.loop.EventLoop;
import dev.carillon.sys.Deadlines;
import dev.carillon.sys.LoopThreads;
import dev.carillon.sys.StackRoom;
import dev.carillon.sys.VirtualThreads;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * One end of a pair of connected sockets by which two processes wake each other, and each notices when the other is
 * gone.
 *
 * <pre>{@code
 * try (DoorbellPair pair = Doorbell.pair()) {
 *     Child guest = Spawn.command("guest").inherit(pair.guest().fd(), 3).start();   // there: Doorbell.adopt(3)
 *     pair.guest().close();
 *     pair.host().ring();
 *     DoorbellEvent event = pair.host().await(Duration.ofSeconds(1));
 * }
 * }</pre>
 *
 * <p>A ring carries nothing; many may become one event. After an event look at what you share, in this order: otherwise
 * what comes between the look and the event goes unseen.
 *
 * <p><b>Threading:</b> {@link #ring}, {@link #close}: any thread. The others: one reader at a time, a second one is an
 * error.
 *
 * <p><b>Ownership:</b> the code that has it closes it. Both sides' copies of an end count: a death is noticed when the last one
 * is closed.
 *
 * <p><b>See:</b> unix(7), docs/doorbell.md.
 */
// r[impl shm.doorbell.purpose]
public final class Doorbell implements AutoCloseable {
    private final BellEnd end;
    private final DrainProgress draining = new DrainProgress(BellEnd.CAPACITY, DrainProgress.MAX_READS, false);

    /** Who reads: a thread as long as it does, or an AsyncDoorbell for good. */
    private final AtomicReference<@Nullable Object> reader = new AtomicReference<>();

    private volatile @Nullable BellWait wait;

    private Doorbell(BellEnd end) {
        this.end = end;
    }

    /** Two ends that are connected, neither of them inherited by children that are not given it. */
    public static DoorbellPair pair() {
        // What fails for want of stack fails before there is a descriptor.
        StackRoom.ensureAround();
        BellEnd[] ends = BellEnd.pair();
        try {
            return new DoorbellPair(new Doorbell(ends[0]), new Doorbell(ends[1]));
        } catch (Error failure) {
            try {
                ends[0].close();
            } finally {
                ends[1].close();
            }
            throw failure;
        }
    }

    /**
     * Takes over an end that was inherited or received, and sees to it that our own children do not inherit it in turn.
     *
     * <p><b>Ownership:</b> the number is the doorbell's from now on; if this fails it stays the caller's.
     *
     * @throws IllegalArgumentException if it is no connected Unix stream socket
     */
    public static Doorbell adopt(int fd) {
        return new Doorbell(BellEnd.adopt(fd));
    }

    /**
     * Wakes the peer; never blocks.
     *
     * @throws dev.carillon.ClosedException if this end was closed
     */
    public RingResult ring() {
        return end.ring();
    }

    /** Waits without end, as {@link #awaitUntil}. */
    public DoorbellEvent await() throws InterruptedException {
        return awaitUntil(Long.MAX_VALUE);
    }

    /** Waits some time, as {@link #awaitUntil}; a negative one is none. */
    public DoorbellEvent await(Duration atMost) throws InterruptedException {
        return awaitUntil(Deadlines.after(System.nanoTime(), atMost));
    }

    /**
     * Waits for a ring or the death of the peer.
     *
     * @param deadlineNanos on the clock of System.nanoTime(); Long.MAX_VALUE never comes
     * @throws IllegalArgumentException if the deadline is negative
     * @throws IllegalStateException if somebody else reads this end; on a loop thread, in checked mode
     * @throws dev.carillon.ClosedException if this end is closed, before or meanwhile
     * @throws InterruptedException if the thread is interrupted, which ends the wait at once; no ring is lost by it
     */
    public DoorbellEvent awaitUntil(long deadlineNanos) throws InterruptedException {
        LoopThreads.ensureMayBlock("Doorbell.await");
        Deadlines.ensureNotNegative(deadlineNanos);
        claim(Thread.currentThread());
        try {
            return VirtualThreads.isCurrent()
                    ? new ParkedWait(end).until(deadlineNanos)
                    : waiting().until(deadlineNanos);
        } finally {
            reader.set(null);
        }
    }

    /** The reader's; a close that does not see it yet leaves it to this thread to close it. */
    private BellWait waiting() {
        BellWait mine = wait;
        if (mine == null) {
            end.acquire();
            end.release();
            mine = new BellWait(end);
            wait = mine;
        }
        if (!end.isOpen()) {
            mine.close();
        }
        return mine;
    }

    /** Asks without waiting: TIMEOUT if there is nothing. Not refused on loop threads. */
    public DoorbellEvent poll() {
        claim(Thread.currentThread());
        try {
            end.acquire();
            try {
                return end.drain(draining).event();
            } finally {
                end.release();
            }
        } finally {
            reader.set(null);
        }
    }

    // r[impl shm.doorbell.single-reader]
    private void claim(Object newReader) {
        Object other = reader.compareAndExchange(null, newReader);
        if (other != null) {
            throw new IllegalStateException(
                    this + " is read by " + other + "; an end has one reader, use a pair for each");
        }
    }

    /**
     * The descriptor, for other loops and for handing it over: readable means "poll".
     *
     * <p><b>Ownership:</b> this doorbell's, and good until its close; {@link #hold} it where another thread may close it.
     *
     * @throws dev.carillon.ClosedException if this end was closed
     */
    public int fd() {
        return end.number();
    }

    /**
     * Holds the descriptor: its number stays this end's until the hold is closed, whoever closes the doorbell meanwhile.
     *
     * @throws dev.carillon.ClosedException if this end was closed
     */
    // r[impl shm.doorbell.hold]
    public HeldDescriptor hold() {
        return end.hold();
    }

    /**
     * Moves the reading to a loop, for good.
     *
     * <p><b>Ownership:</b> closing either closes both. If the loop finds that it cannot watch the descriptor (none is left
     * for its copy, or epoll has no room), it closes both, and a receiver that waits is refused with that failure. If this method
     * throws, nothing has changed: the doorbell is open, and its owner can read it otherwise, or close it.
     *
     * @throws IllegalStateException if somebody reads this end
     * @throws java.util.concurrent.RejectedExecutionException if the loop is stopping or has ended
     */
    public AsyncDoorbell onLoop(EventLoop loop) {
        AsyncDoorbell async = new AsyncDoorbell(loop, end);
        claim(async);
        try {
            async.begin();
            dropWait();
            return async;
        } catch (RuntimeException | Error failure) {
            reader.set(null);
            throw failure;
        }
    }

    /** Whether it was not closed. */
    public boolean isOpen() {
        return end.isOpen();
    }

    /** Closes this end, and ends a wait for it; a second call does nothing. */
    @Override
    public void close() {
        if (reader.get() instanceof AsyncDoorbell async) {
            async.close();
            return;
        }
        end.close();
        dropWait();
        if (reader.get() instanceof Thread parked) {
            LockSupport.unpark(parked);
        }
    }

    private void dropWait() {
        BellWait waiting = wait;
        if (waiting != null) {
            waiting.close();
        }
    }

    @Override
    public String toString() {
        return end.toString();
    }
}

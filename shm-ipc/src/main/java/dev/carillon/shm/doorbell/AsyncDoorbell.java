package dev.carillon.shm.doorbell;

import dev.carillon.ClosedException;
import dev.carillon.loop.EventLoop;
import dev.carillon.loop.LoopService;
import dev.carillon.loop.Watch;
import dev.carillon.sys.StackRoom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * A doorbell that is read by a loop.
 *
 * <p>Rings that no receiver waited for become one RUNG, which is kept for the next one. PEER_GONE comes after it, and
 * from then on always.
 *
 * <p><b>Threading:</b> any thread; events come on the loop thread. One wait at a time, a second one is refused.
 *
 * <p><b>Ownership:</b> closing it closes the doorbell; so does the end of the loop.
 */
// r[impl shm.doorbell.async]
public final class AsyncDoorbell implements AutoCloseable {
    private final EventLoop loop;
    private final BellEnd end;
    private final LoopService service = this::finish;
    private final Runnable pump = this::pump;
    private final AtomicBoolean closing = new AtomicBoolean();

    // All below: the loop thread.
    private final PendingEvents pending;

    /** Why there will be no event, if it is not a close. */
    private @Nullable RuntimeException failure;

    private boolean refusing;
    private boolean scheduled;
    private boolean finished;
    private @Nullable EventReceiver receiver;
    private @Nullable Watch watch;

    AsyncDoorbell(EventLoop loop, BellEnd end) {
        this.loop = loop;
        this.end = end;
        pending = new PendingEvents(end);
    }

    /** Not in the constructor: the first event may come before it returns. If this fails, the end is as it was. */
    // r[impl shm.doorbell.loop-refuses]
    synchronized void begin() {
        int number = end.acquire();
        try {
            loop.register(service);
            watch = loop.watch(number, this::ready, this::failed);
        } catch (RuntimeException | Error failure) {
            finished = true;
            loop.unregister(service);
            end.release();
            throw failure;
        }
    }

    /** On the loop thread: it cannot watch the descriptor, so no event would ever come. */
    // r[impl shm.doorbell.watch-fails]
    private void failed(Throwable why) {
        failure = why instanceof RuntimeException known
                ? known
                : new IllegalStateException(end + " cannot be watched by its loop", why);
        finish();
    }

    /** The loop that reads it. */
    public EventLoop loop() {
        return loop;
    }

    /** As {@link Doorbell#ring}. */
    public RingResult ring() {
        return end.ring();
    }

    /**
     * The next event.
     *
     * <p>Cancelling it, or its running out of time, loses no event. It fails with an IllegalStateException if another one
     * waits already, with a {@link ClosedException} after a close, with a {@link dev.carillon.SyscallException} if the loop
     * could not watch the descriptor.
     *
     * @throws RejectedExecutionException if the loop ends
     */
    public CompletableFuture<DoorbellEvent> awaitEventAsync() {
        CompletableFuture<DoorbellEvent> future = loop.newFuture();
        awaitEvent(new FutureReceiver(this, future));
        return future;
    }

    /** The next event, without a future; see {@link EventReceiver}. */
    public void awaitEvent(EventReceiver next) {
        if (loop.inLoop()) {
            expect(next);
        } else {
            loop.execute(() -> expect(next));
        }
    }

    private void expect(EventReceiver next) {
        EventReceiver present = receiver;
        if (finished) {
            refuse(next, whyThereIsNone(" is closed and has no more events"));
        } else if (present != null && present.isWaiting()) {
            refuse(next, new IllegalStateException(end + " is waited for already; an end has one reader"));
        } else {
            receiver = next;
            if (pending.mayHaveSome()) {
                schedule();
            }
        }
    }

    private RuntimeException whyThereIsNone(String closed) {
        return failure != null ? failure : new ClosedException(end + closed);
    }

    /** Nested ones are posted: one that waits again when it is refused must not go deeper each time. */
    private void refuse(EventReceiver next, RuntimeException why) {
        if (refusing) {
            loop.execute(() -> refuse(next, why));
            return;
        }
        refusing = true;
        try {
            next.refused(why);
        } finally {
            refusing = false;
        }
    }

    /** Takes a receiver back that waits; nothing if it does not wait any more. */
    public void forget(EventReceiver waiting) {
        if (loop.inLoop()) {
            dropIfPresent(waiting);
        } else {
            onLoopUnlessEnded(() -> dropIfPresent(waiting));
        }
    }

    private void dropIfPresent(EventReceiver waiting) {
        if (waiting.equals(receiver)) {
            receiver = null;
        }
    }

    /** Gives an event back that was received and cannot be used; the next one who waits gets it. */
    public void giveBack(DoorbellEvent event) {
        onLoopUnlessEnded(() -> keep(event));
    }

    /** On the loop thread: the descriptor has changed. */
    private void ready() {
        if (pending.hasRung() && receiver == null) {
            pending.leaveUnread(); // no receiver waits: a peer that rings all the time costs no reads
        } else {
            drain();
            deliver();
        }
    }

    // r[impl shm.doorbell.async-memory]
    private void drain() {
        try {
            if (!finished) {
                pending.read();
            }
        } catch (OutOfMemoryError memoryIsShort) {
            again();
            throw memoryIsShort;
        }
    }

    /** No edge will come for what was not done, and there may be no memory to post it. */
    private synchronized void again() {
        if (watch != null) {
            watch.again();
        }
    }

    /** One event at most: a peer that rings all the time must not hold up the loop. */
    private void deliver() {
        EventReceiver to = receiver;
        DoorbellEvent event = to == null ? null : pending.take();
        if (to == null || event == null) {
            return;
        }
        receiver = null;
        boolean isTaken = false;
        try {
            isTaken = to.tryReceive(event);
        } catch (Throwable thrown) {
            // An Error as well, such as that of a class that is not there: the ring is not lost for it.
            tell(to, event, thrown);
            throw thrown;
        } finally {
            if (!isTaken) {
                keep(event);
            }
        }
    }

    /** A receiver could not take its event: its wait has failed. */
    // r[impl shm.doorbell.throw]
    private void tell(EventReceiver failed, DoorbellEvent event, Throwable thrown) {
        try {
            RuntimeException why = thrown instanceof RuntimeException cause
                    ? cause
                    : new IllegalStateException(end + " could not tell a receiver of " + event + ": " + thrown, thrown);
            refuse(failed, why);
        } catch (RuntimeException | Error second) {
            if (second != thrown) {
                thrown.addSuppressed(second);
            }
        }
    }

    private void keep(DoorbellEvent event) {
        pending.giveBack(event);
        if (event == DoorbellEvent.RUNG && receiver != null) {
            schedule();
        }
    }

    private void schedule() {
        if (!scheduled) {
            scheduled = true;
            try {
                onLoopUnlessEnded(pump);
            } catch (OutOfMemoryError memoryIsShort) {
                scheduled = false;
                again();
            }
        }
    }

    private void pump() {
        scheduled = false;
        if (pending.isUnread()) {
            drain();
        }
        deliver();
    }

    private void onLoopUnlessEnded(Runnable task) {
        try {
            loop.execute(task);
        } catch (RejectedExecutionException ends) {
            return; // the loop calls finish, or has called it, and that refuses the receiver that waits
        }
    }

    /** Closes the doorbell; a receiver that waits is refused. */
    @Override
    public void close() {
        StackRoom.ensureAround();
        if (closing.compareAndSet(false, true)) {
            if (loop.inLoop()) {
                finish();
            } else {
                onLoopUnlessEnded(this::finish);
            }
        }
    }

    /** On the loop thread. The lock is for one that ends while another thread is in {@link #begin}. */
    private void finish() {
        synchronized (this) {
            if (finished) {
                return;
            }
            finished = true;
            // Before the descriptor is closed, whose number may mean something else at once.
            if (watch != null) {
                watch.close();
            }
        }
        loop.unregister(service);
        // In this order, so that it is the close that closes: it knows what must not be closed on a loop thread.
        end.release();
        end.close();
        EventReceiver waiting = receiver;
        receiver = null;
        if (waiting != null) {
            refuse(waiting, whyThereIsNone(" was closed while somebody waited for it"));
        }
    }

    @Override
    public String toString() {
        return "Async" + end;
    }
}

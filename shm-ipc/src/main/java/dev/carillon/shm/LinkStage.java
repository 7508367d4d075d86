package dev.carillon.shm;

import dev.carillon.loop.EventLoop;
import dev.carillon.sys.LoopThreads;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * A future of what is taken from a link, or given to it: either it is done, or the future was completed by others, and never
 * both. So a cancel that comes in time loses no frame, and one that comes too late says so.
 *
 * <p>States: WAITING -> SETTLED (by what it waited for, or by whoever completes or cancels it), under this object's lock; what
 * depends on it runs without it.
 *
 * <p><b>Threading:</b> any thread.
 */
final class LinkStage<T extends @Nullable Object> extends CompletableFuture<T> implements LinkWaiter {
    private final EventLoop loop;
    private final Attempt<T> attempt;
    private final Place place;
    private boolean settled;

    /** What it is about. */
    @FunctionalInterface
    interface Attempt<T extends @Nullable Object> {
        /** Does it; null if it cannot be done yet, and this waiter will be told of a change. */
        @Nullable
        Done<T> tryNow(LinkWaiter waiter);
    }

    /** It was done, and that came of it. */
    record Done<T extends @Nullable Object>(@Nullable T result) {}

    /** Where it waits, alone. */
    interface Place {
        void leave(LinkStage<?> stage);
    }

    LinkStage(EventLoop loop, Attempt<T> attempt, Place place) {
        this.loop = loop;
        this.attempt = attempt;
        this.place = place;
    }

    @Override
    public void changed() {
        Done<T> done = null;
        Throwable failure = null;
        synchronized (this) {
            if (settled) {
                return;
            }
            try {
                done = attempt.tryNow(this);
            } catch (RuntimeException | Error why) {
                failure = why;
            }
            settled = done != null || failure != null;
        }
        if (done != null) {
            place.leave(this);
            super.complete(done.result());
        } else if (failure != null) {
            place.leave(this);
            super.completeExceptionally(failure);
        }
    }

    @Override
    public void refused(RuntimeException why) {
        completeExceptionally(why);
    }

    /** Whether it is done, or about to be completed and gone from its place. */
    synchronized boolean isSettled() {
        return settled;
    }

    private boolean settle() {
        synchronized (this) {
            if (settled) {
                return false;
            }
            settled = true;
        }
        place.leave(this);
        return true;
    }

    @Override
    public boolean complete(T value) {
        return settle() && super.complete(value);
    }

    @Override
    public boolean completeExceptionally(Throwable why) {
        return settle() && super.completeExceptionally(why);
    }

    @Override
    public boolean cancel(boolean mayInterrupt) {
        return settle() ? super.cancel(mayInterrupt) : isCancelled();
    }

    @Override
    public <U extends @Nullable Object> CompletableFuture<U> newIncompleteFuture() {
        return loop.newFuture();
    }

    @Override
    public T join() {
        ensureMayWait("join()");
        return super.join();
    }

    @Override
    public T get() throws InterruptedException, ExecutionException {
        ensureMayWait("get()");
        return super.get();
    }

    @Override
    public T get(long time, TimeUnit unit) throws InterruptedException, ExecutionException, TimeoutException {
        ensureMayWait("get()");
        return super.get(time, unit);
    }

    private void ensureMayWait(String what) {
        if (isDone()) {
            return;
        }
        if (loop.inLoop()) {
            throw new IllegalStateException(what + " on the thread of " + loop
                    + " would never end, since this future is completed there; use thenAccept() or whenComplete()");
        }
        LoopThreads.ensureMayBlock(what);
    }
}

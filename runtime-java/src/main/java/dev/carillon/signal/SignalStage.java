package dev.carillon.signal;

import dev.carillon.loop.EventLoop;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** A future that refuses to be waited for on a loop thread, which it would stop; so do the stages made of it. */
class SignalStage<T extends @Nullable Object> extends CompletableFuture<T> {
    @Override
    public <U extends @Nullable Object> CompletableFuture<U> newIncompleteFuture() {
        return new SignalStage<>();
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
        EventLoop loop = isDone() ? null : EventLoop.currentOrNull();
        if (loop != null) {
            throw new IllegalStateException(
                    what + " would block " + loop + " on its own thread; use a callback (whenComplete)");
        }
    }
}

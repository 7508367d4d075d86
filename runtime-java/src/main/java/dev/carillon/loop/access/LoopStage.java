package dev.carillon.loop.access;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** A future that refuses a wait that would block a loop, or would never end. So do the stages made of it. */
// r[impl loop.binding]
public class LoopStage<T extends @Nullable Object> extends CompletableFuture<T> {
    private final LoopAccess loop;

    /** Not complete yet; the loop completes it. */
    public LoopStage(LoopAccess loop) {
        this.loop = loop;
    }

    @Override
    public <U extends @Nullable Object> CompletableFuture<U> newIncompleteFuture() {
        return new LoopStage<>(loop);
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
        if (!isDone()) {
            loop.ensureMayWait(what);
        }
    }
}

package dev.carillon.timer;

import dev.carillon.loop.access.LoopAccess;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** The future of a task on a loop: it refuses a wait that would block a loop, and interrupts no loop. */
class LoopFutureTask<V extends @Nullable Object> extends FutureTask<V> {
    private final LoopAccess loop;

    LoopFutureTask(LoopAccess loop, Callable<V> task) {
        super(task);
        this.loop = loop;
    }

    @Override
    public V get() throws InterruptedException, ExecutionException {
        ensureMayWait();
        return super.get();
    }

    @Override
    public V get(long time, TimeUnit unit) throws InterruptedException, ExecutionException, TimeoutException {
        ensureMayWait();
        return super.get(time, unit);
    }

    private void ensureMayWait() {
        if (!isDone()) {
            loop.ensureMayWait("get()");
        }
    }

    @Override
    public boolean cancel(boolean mayInterrupt) {
        return super.cancel(false);
    }
}

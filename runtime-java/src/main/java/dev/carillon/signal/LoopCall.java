package dev.carillon.signal;

import dev.carillon.loop.EventLoop;
import dev.carillon.sys.LoopThreads;
import dev.carillon.sys.StackRoom;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;

/** Has something done on the loop thread and waits for it. <b>Threading:</b> any thread. */
final class LoopCall {
    private static final Duration LIMIT = Duration.ofSeconds(10);

    private LoopCall() {}

    /**
     * Returns if {@link #run} may be called here: it would block no loop, and there is plenty of stack for what it does.
     *
     * @param operation the public method, for the error
     */
    static void ensureMayRun(EventLoop loop, String operation) {
        if (!loop.inLoop() && loop.hasThread()) {
            LoopThreads.ensureMayBlock(operation);
        }
        StackRoom.ensureDeep();
    }

    /**
     * Runs the action on the loop thread: at once on that thread; at the loop's start where it has no thread yet, which
     * is not waited for; else it waits, ten seconds at most.
     *
     * @param what what is done, for the error
     * @throws IllegalStateException if the loop did not come to it; then it will not be done
     */
    static void run(EventLoop loop, String what, Runnable action) {
        if (loop.inLoop()) {
            action.run();
        } else if (loop.hasThread()) {
            await(loop, what, action);
        } else {
            loop.execute(action);
        }
    }

    private static void await(EventLoop loop, String what, Runnable action) {
        CompletableFuture<Boolean> done = new CompletableFuture<>();
        AtomicBoolean isTaken = new AtomicBoolean();
        loop.execute(() -> {
            if (isTaken.compareAndSet(false, true)) {
                try {
                    action.run();
                    done.complete(true);
                } catch (RuntimeException | Error failure) {
                    done.completeExceptionally(failure);
                }
            }
        });
        boolean interrupted = false;
        long deadline = System.nanoTime() + LIMIT.toNanos();
        try {
            while (true) {
                try {
                    done.get(Math.max(0, deadline - System.nanoTime()), TimeUnit.NANOSECONDS);
                    return;
                } catch (InterruptedException waitOn) {
                    interrupted = true;
                } catch (TimeoutException tooLong) {
                    if (isTaken.compareAndSet(false, true)) {
                        throw new IllegalStateException(
                                what + " was not done, since " + loop + " did not come to it in " + LIMIT.toSeconds()
                                        + " s: a callback blocks it, or nobody runs it at the moment");
                    }
                    // It is being done this very moment.
                    deadline = System.nanoTime() + LIMIT.toNanos();
                } catch (ExecutionException failed) {
                    throw unwrapped(failed);
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private static RuntimeException unwrapped(ExecutionException failed) {
        return failed.getCause() instanceof RuntimeException cause
                ? cause
                : new IllegalStateException("the loop thread failed", failed.getCause());
    }
}

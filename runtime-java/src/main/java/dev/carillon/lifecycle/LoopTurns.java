package dev.carillon.lifecycle;

import dev.carillon.loop.EventLoop;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/** Turns of a loop that somebody waits for. <b>Threading:</b> any thread. */
final class LoopTurns {
    /** So long such a turn may take to come. */
    static final Duration TAKES_EFFECT = Duration.ofSeconds(10);

    private final EventLoop loop;

    LoopTurns(EventLoop loop) {
        this.loop = loop;
    }

    /**
     * Has something done on the loop, and waits for that, also on the thread of another loop: no code of the program holds up
     * this one.
     *
     * @throws java.util.concurrent.RejectedExecutionException if the loop is closed
     */
    <T> T call(Supplier<T> action) {
        if (loop.inLoop()) {
            return action.get();
        }
        CompletableFuture<T> done = CompletableFuture.supplyAsync(action, loop);
        boolean wasInterrupted = false;
        try {
            while (true) {
                try {
                    return done.get(TAKES_EFFECT.toNanos(), TimeUnit.NANOSECONDS);
                } catch (InterruptedException waitOn) {
                    wasInterrupted = true;
                } catch (TimeoutException tooLong) {
                    throw new IllegalStateException("the lifecycle's loop did not come to it in "
                            + TAKES_EFFECT.toSeconds() + " s; the machine is very busy, or the thread was stopped");
                } catch (ExecutionException failed) {
                    throw failed.getCause() instanceof RuntimeException cause ? cause : new CompletionException(failed);
                }
            }
        } finally {
            if (wasInterrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}

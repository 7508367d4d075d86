package dev.carillon.lifecycle;

import dev.carillon.loop.EventLoop;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
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
     * @throws IllegalStateException if the loop did not come to it; then it will not be done
     * @throws RejectedExecutionException if the loop is closed
     */
    <T> T call(Supplier<T> action) {
        return call(action, false);
    }

    /** As {@link #call}, when the loop has looked at its descriptors once more: what had come by then comes before this. */
    <T> T callAfterALook(Supplier<T> action) {
        return call(action, true);
    }

    private <T> T call(Supplier<T> action, boolean isAfterALook) {
        if (loop.inLoop()) {
            return action.get();
        }
        Turn<T> turn = new Turn<>(action, isAfterALook);
        loop.execute(turn);
        return turn.await();
    }

    /** One that somebody waits for. It is begun, or given up, and never both. */
    private final class Turn<T> implements Runnable {
        private final Supplier<T> action;
        private final boolean isAfterALook;
        private final CompletableFuture<T> done = new CompletableFuture<>();
        private final AtomicBoolean isTaken = new AtomicBoolean();

        Turn(Supplier<T> action, boolean isAfterALook) {
            this.action = action;
            this.isAfterALook = isAfterALook;
        }

        @Override
        public void run() {
            if (!isTaken.compareAndSet(false, true)) {
                return;
            }
            if (isAfterALook) {
                finishAfterLook(loop.stats().iterations());
            } else {
                finish();
            }
        }

        /** A loop looks once per iteration, and runs no more than a batch of tasks in one. */
        private void finishAfterLook(long iteration) {
            try {
                if (loop.stats().iterations() == iteration) {
                    loop.execute(() -> finishAfterLook(iteration));
                    return;
                }
            } catch (RejectedExecutionException loopEnds) {
                // It looks no more.
            }
            finish();
        }

        private void finish() {
            try {
                done.complete(action.get());
            } catch (Throwable failure) {
                done.completeExceptionally(failure);
            }
        }

        T await() {
            boolean wasInterrupted = false;
            try {
                while (true) {
                    try {
                        return done.get(TAKES_EFFECT.toNanos(), TimeUnit.NANOSECONDS);
                    } catch (InterruptedException waitOn) {
                        wasInterrupted = true;
                    } catch (TimeoutException tooLong) {
                        giveUp();
                    } catch (ExecutionException failed) {
                        throw failed.getCause() instanceof RuntimeException cause
                                ? cause
                                : new CompletionException(failed.getCause());
                    }
                }
            } finally {
                if (wasInterrupted) {
                    Thread.currentThread().interrupt();
                }
            }
        }

        /** Returns if it has begun: then it is waited for. */
        private void giveUp() {
            if (isTaken.compareAndSet(false, true)) {
                throw new IllegalStateException("the lifecycle's loop did not come to it in " + TAKES_EFFECT.toSeconds()
                        + " s; the machine is very busy, or the thread was stopped");
            }
        }
    }
}

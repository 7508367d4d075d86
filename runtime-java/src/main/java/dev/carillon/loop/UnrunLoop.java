package dev.carillon.loop;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Warns of work that came to a loop which no thread runs: a wait for that work would never end.
 *
 * <p><b>Threading:</b> any thread. For a loop that has a thread, a post reads one field.
 */
// r[impl loop.unrun]
final class UnrunLoop {
    private static final long PATIENCE_SECONDS = 1;

    private final LoopThread thread;
    private final AtomicBoolean begun = new AtomicBoolean();

    /** The question is settled. Plain: a thread that does not see it yet only asks again. */
    private boolean settled;

    UnrunLoop(LoopThread thread) {
        this.thread = thread;
    }

    /** Another thread has given work to the loop. */
    void posted() {
        if (!settled) {
            settle();
        }
    }

    private void settle() {
        if (thread.thread() == null && begun.compareAndSet(false, true)) {
            try {
                CompletableFuture.delayedExecutor(PATIENCE_SECONDS, TimeUnit.SECONDS, Runnable::run)
                        .execute(this::look);
            } catch (OutOfMemoryError noThreadOrMemory) {
                // The work was accepted all the same. The next post tries again.
                begun.set(false);
                return;
            }
        }
        settled = true;
    }

    /** On the one thread of the process that keeps its timeouts, which must not wait for a log. */
    private void look() {
        if (thread.thread() == null && !thread.isEnded()) {
            var unused = CompletableFuture.runAsync(this::tell);
        }
    }

    private void tell() {
        LoopLog.warn(thread + " was given work " + PATIENCE_SECONDS
                + " s ago and nobody runs it; call start(), or a run" + " method on the thread that is to be its own");
    }
}

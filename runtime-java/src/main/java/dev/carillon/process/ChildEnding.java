package dev.carillon.process;

import dev.carillon.Signal;
import dev.carillon.sys.Deadlines;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Ends a child, and the group that it leads.
 *
 * <p>States: IDLE -> ASKED (SIGTERM was sent) -> IDLE, when nobody is left, or when the grace is over and SIGKILL was sent, after
 * which nobody can go on. The time is real, and {@link ChildPoller} keeps it, so no loop is needed.
 *
 * <p><b>Threading:</b> any thread, under this object's lock, which is taken before that of the child.
 */
// r[impl process.end]
final class ChildEnding {
    private final ChildWatch child;
    private CompletableFuture<@Nullable Void> over = new CompletableFuture<>();
    private boolean isAsked;
    private long deadline;

    ChildEnding(ChildWatch child) {
        this.child = child;
    }

    /**
     * Asks it to end. A second call asks no more, but may shorten the grace. Where no thread can be started, nothing has changed.
     *
     * @return completed when there is nothing more to do
     */
    synchronized CompletableFuture<@Nullable Void> begin(Duration grace) {
        long end = Deadlines.after(System.nanoTime(), grace);
        if (isAsked) {
            deadline = Math.min(end, deadline);
            return over;
        }
        over = new CompletableFuture<>();
        deadline = end;
        child.beginEnding();
        boolean begun = false;
        try {
            ChildPoller.CHILDREN.take(this::look);
            isAsked = true;
            child.sendToAll(Signal.SIGTERM);
            begun = true;
            return over;
        } finally {
            if (!begun) {
                isAsked = false;
                child.finishEnding(false);
            }
        }
    }

    /** Whether it is over. */
    private boolean look() {
        CompletableFuture<@Nullable Void> told = null;
        try {
            synchronized (this) {
                boolean isDue = Deadlines.until(deadline, System.nanoTime()) == 0;
                if (isAsked && !isDue && child.goesOn()) {
                    return false;
                }
                told = over;
                if (isAsked) {
                    finish(isDue);
                }
            }
            return true;
        } finally {
            if (told != null) {
                told.complete(null);
            }
        }
    }

    private void finish(boolean isDue) {
        boolean isKilled = false;
        try {
            if (isDue) {
                child.sendToAll(Signal.SIGKILL);
                isKilled = true;
            }
        } finally {
            isAsked = false;
            child.finishEnding(isKilled);
        }
    }
}

package dev.carillon.process;

import dev.carillon.ExitStatus;
import dev.carillon.loop.Watch;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * How a child ended, and those who wait to learn it.
 *
 * <p>States: OPEN -> SETTLED (its status, or why that cannot be known).
 *
 * <p><b>Threading:</b> any thread, under this object's lock; callbacks are called without it.
 */
final class ChildExit {
    private final CompletableFuture<ExitStatus> future;
    private List<ExitCallback> waiting = new ArrayList<>();
    private boolean settled;
    private @Nullable ExitStatus status;
    private @Nullable Throwable failure;

    /** The future is completed before the first callback is called. */
    ChildExit(CompletableFuture<ExitStatus> future) {
        this.future = future;
        waiting.add(this::complete);
    }

    private void complete(@Nullable ExitStatus how, @Nullable Throwable why) {
        if (how != null) {
            future.complete(how);
        } else if (why != null) {
            future.completeExceptionally(why);
        }
    }

    /** A future of it, which the caller may cancel. */
    CompletableFuture<ExitStatus> copy() {
        return future.copy();
    }

    /** From now on the answer is known; a second one changes nothing. Those who wait learn it from {@link #callBack}. */
    synchronized void settle(@Nullable ExitStatus how, @Nullable Throwable why) {
        if (!settled) {
            settled = true;
            status = how;
            failure = why;
        }
    }

    /** Calls those who wait. One that throws does not keep the answer from the others. */
    void callBack() {
        List<ExitCallback> all;
        synchronized (this) {
            all = waiting;
            waiting = List.of();
        }
        Throwable first = null;
        for (ExitCallback callback : all) {
            try {
                callback.ended(status, failure);
            } catch (RuntimeException | Error thrown) {
                if (first == null) {
                    first = thrown;
                } else {
                    first.addSuppressed(thrown);
                }
            }
        }
        if (first instanceof Error error) {
            throw error;
        } else if (first instanceof RuntimeException runtime) {
            throw runtime;
        }
    }

    /** Calls back now if it is settled, else when it is. */
    Watch onSettled(ExitCallback callback) {
        synchronized (this) {
            if (!settled) {
                waiting.add(Objects.requireNonNull(callback, "callback"));
                return () -> forget(callback);
            }
        }
        callback.ended(status, failure);
        return () -> {};
    }

    private synchronized void forget(ExitCallback callback) {
        if (!settled) {
            waiting.remove(callback);
        }
    }
}

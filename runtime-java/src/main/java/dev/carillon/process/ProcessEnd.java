package dev.carillon.process;

import dev.carillon.ExitStatus;
import dev.carillon.loop.EventLoop;
import dev.carillon.loop.Watch;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * How a process ended, and those who wait to learn it.
 *
 * <p>States: OPEN -> SETTLED. Settled is the status of a child; or no status, of a process that is no child; or why neither
 * can be known.
 *
 * <p><b>Threading:</b> any thread, under this object's lock; callbacks are called without it.
 */
final class ProcessEnd {
    private final EventLoop loop;
    private List<ExitCallback> stages = new ArrayList<>();
    private List<ExitCallback> callbacks = new ArrayList<>();
    private boolean settled;
    private @Nullable ExitStatus status;
    private @Nullable Throwable failure;

    /** On the thread of that loop, waits for its futures are refused. */
    ProcessEnd(EventLoop loop) {
        this.loop = loop;
    }

    /**
     * A future of it, which the caller may cancel: one that was completed by others is not kept. All futures are completed
     * before the first callback is called.
     *
     * @param value of the status, which is null for a process that is no child
     */
    // r[impl process.stages]
    <T extends @Nullable Object> CompletableFuture<T> stage(Function<@Nullable ExitStatus, T> value) {
        CompletableFuture<T> stage = loop.newFuture();
        ExitCallback completion = (how, why) -> {
            if (why != null) {
                stage.completeExceptionally(why);
            } else {
                stage.complete(value.apply(how));
            }
        };
        if (!isSettledOr(stages, completion)) {
            var unused = stage.whenComplete((done, why) -> forget(completion));
        }
        return stage;
    }

    /** A future that gives what the first one gives, when the second one is complete, too. */
    <T> CompletableFuture<T> after(CompletableFuture<T> first, CompletableFuture<?> second) {
        CompletableFuture<T> both = loop.newFuture();
        var unused = both.whenComplete((value, failure) -> first.cancel(false));
        var unusedToo = first.whenComplete((value, failure) -> {
            var unusedAsWell = second.whenComplete((none, never) -> {
                if (failure != null) {
                    both.completeExceptionally(failure);
                } else {
                    both.complete(value);
                }
            });
        });
        return both;
    }

    /** Calls back now if it is settled, else when it is. */
    Watch onSettled(ExitCallback callback) {
        Objects.requireNonNull(callback, "callback");
        return isSettledOr(callbacks, callback) ? () -> {} : () -> forget(callback);
    }

    /** Adds one who waits; where it is settled, calls back instead. */
    private boolean isSettledOr(List<ExitCallback> waiting, ExitCallback callback) {
        synchronized (this) {
            if (!settled) {
                waiting.add(callback);
                return false;
            }
        }
        callback.ended(status, failure);
        return true;
    }

    private synchronized void forget(ExitCallback callback) {
        if (!settled && !stages.remove(callback)) {
            callbacks.remove(callback);
        }
    }

    /** From now on the answer is known; a second one changes nothing. Those who wait learn it from {@link #callBack}. */
    synchronized void settle(@Nullable ExitStatus how, @Nullable Throwable why) {
        if (!settled) {
            settled = true;
            status = how;
            failure = why;
        }
    }

    /** Calls those who wait, if it is settled. One that throws does not keep the answer from the others. */
    void callBack() {
        List<ExitCallback> first;
        List<ExitCallback> second;
        synchronized (this) {
            if (!settled) {
                return;
            }
            first = stages;
            second = callbacks;
            stages = List.of();
            callbacks = List.of();
        }
        Throwable thrown = call(second, call(first, null));
        if (thrown instanceof Error error) {
            throw error;
        } else if (thrown instanceof RuntimeException runtime) {
            throw runtime;
        }
    }

    private @Nullable Throwable call(List<ExitCallback> all, @Nullable Throwable before) {
        Throwable first = before;
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
        return first;
    }
}

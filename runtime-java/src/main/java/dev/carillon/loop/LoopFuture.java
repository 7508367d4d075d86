package dev.carillon.loop;

import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The future of one operation. Cancelling it cancels the operation; what came too late is given back. */
final class LoopFuture<T extends @Nullable Object> extends LoopStage<T> implements Completion {
    private final Function<Operation, T> result;
    private final Handle handle;
    private final Operation operation = Operation.of(this);

    LoopFuture(PollingLoop loop, Function<Operation, T> result, Handle handle) {
        super(loop);
        this.result = result;
        this.handle = handle;
    }

    Operation operation() {
        return operation;
    }

    @Override
    public void completed(Operation done) {
        Throwable failure = done.failure();
        if (failure != null) {
            completeExceptionally(failure);
        } else if (!complete(result.apply(done))) {
            Object value = done.value();
            if (value != null) {
                handle.putBack(value);
            }
        }
    }

    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        boolean cancelled = super.cancel(mayInterruptIfRunning);
        if (cancelled) {
            operation.cancel();
        }
        return cancelled;
    }
}

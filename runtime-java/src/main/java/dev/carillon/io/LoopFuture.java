package dev.carillon.io;

import dev.carillon.loop.access.LoopAccess;
import dev.carillon.loop.access.LoopStage;
import dev.carillon.sys.StackRoom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The future of one operation. Any other completion cancels the operation; a result that comes too late is given back.
 *
 * <p>This overrides each way to complete a future, since a stage that watches for completion would be garbage.
 */
// r[impl io.future]
final class LoopFuture<T extends @Nullable Object> extends LoopStage<T> implements Completion {
    private final Function<Operation, T> result;
    private final Handle handle;
    private final Operation operation = Operation.of(this);

    LoopFuture(LoopAccess loop, Function<Operation, T> result, Handle handle) {
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
            super.completeExceptionally(failure);
        } else if (!super.complete(result.apply(done))) {
            Object value = done.value();
            if (value != null) {
                handle.putBack(value);
            }
        }
    }

    @Override
    public boolean complete(T value) {
        StackRoom.ensureAround();
        return endedByAnother(super.complete(value));
    }

    @Override
    public boolean completeExceptionally(Throwable cause) {
        StackRoom.ensureAround();
        return endedByAnother(super.completeExceptionally(cause));
    }

    @Override
    public CompletableFuture<T> completeAsync(Supplier<? extends T> supplier, Executor executor) {
        CompletableFuture<T> self = super.completeAsync(supplier, executor);
        var unused = self.whenComplete((value, failure) -> operation.cancel());
        return self;
    }

    @Override
    public void obtrudeValue(T value) {
        super.obtrudeValue(value);
        operation.cancel();
    }

    @Override
    public void obtrudeException(Throwable cause) {
        super.obtrudeException(cause);
        operation.cancel();
    }

    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        StackRoom.ensureAround();
        return endedByAnother(super.cancel(mayInterruptIfRunning));
    }

    private boolean endedByAnother(boolean ended) {
        if (ended) {
            operation.cancel();
        }
        return ended;
    }
}

package dev.carillon.signal;

import dev.carillon.SignalInfo;
import dev.carillon.SignalSet;
import dev.carillon.loop.EventLoop;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A wait whose outcome is that of a future. If other code completes it, the wait is over; its record goes to the next. */
// r[impl signal.cancel]
final class FutureWaiter<T> extends SignalWaiter {
    private final CompletableFuture<T> future;
    private final Function<SignalInfo, T> result;
    private final @Nullable T otherwise;

    private FutureWaiter(
            CompletableFuture<T> future, SignalSet signals, Function<SignalInfo, T> result, @Nullable T otherwise) {
        super(signals);
        this.future = future;
        this.result = result;
        this.otherwise = otherwise;
        // Where it is completed by this waiter, there is nothing left to be cancelled.
        var unused = future.whenComplete((value, failure) -> cancel());
    }

    /** One whose future is completed on this loop. */
    static FutureWaiter<SignalInfo> of(EventLoop loop, SignalSet signals) {
        return new FutureWaiter<>(loop.newFuture(), signals, info -> info, null);
    }

    /** The same, with an empty value for when the time is over first. */
    static FutureWaiter<Optional<SignalInfo>> withTimeLimit(EventLoop loop, SignalSet signals) {
        return new FutureWaiter<>(loop.newFuture(), signals, Optional::of, Optional.empty());
    }

    CompletableFuture<T> future() {
        return future;
    }

    @Override
    protected void onSignal(SignalInfo info) {
        if (!future.complete(result.apply(info))) {
            giveBack();
        }
    }

    @Override
    protected void onFailure(RuntimeException cause) {
        future.completeExceptionally(cause);
    }

    @Override
    protected void onTimeout() {
        T value = otherwise;
        if (value != null) {
            future.complete(value);
        }
    }
}

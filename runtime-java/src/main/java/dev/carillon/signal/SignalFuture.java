package dev.carillon.signal;

import dev.carillon.SignalInfo;
import dev.carillon.SignalSet;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The future of one wait. If somebody else completes it, the wait is over and its record goes to the next. */
// r[impl signal.cancel]
final class SignalFuture<T> extends SignalStage<T> {
    private final Wait wait;
    private final Function<SignalInfo, T> result;
    private final @Nullable T otherwise;

    /**
     * A future.
     *
     * @param result makes its value of the signal
     * @param otherwise its value when the time is over first
     */
    SignalFuture(SignalSet signals, Function<SignalInfo, T> result, @Nullable T otherwise) {
        this.result = result;
        this.otherwise = otherwise;
        wait = new Wait(signals);
    }

    SignalWaiter waiter() {
        return wait;
    }

    @Override
    public boolean complete(T value) {
        return ended(super.complete(value));
    }

    @Override
    public boolean completeExceptionally(Throwable failure) {
        return ended(super.completeExceptionally(failure));
    }

    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        return ended(super.cancel(mayInterruptIfRunning));
    }

    private boolean ended(boolean byThis) {
        if (byThis) {
            wait.cancel();
        }
        return byThis;
    }

    private boolean deliver(T value) {
        return super.complete(value);
    }

    private void giveUp(RuntimeException cause) {
        super.completeExceptionally(cause);
    }

    private final class Wait extends SignalWaiter {
        Wait(SignalSet signals) {
            super(signals);
        }

        @Override
        protected void onSignal(SignalInfo info) {
            if (!deliver(result.apply(info))) {
                giveBack();
            }
        }

        @Override
        protected void onFailure(RuntimeException cause) {
            giveUp(cause);
        }

        @Override
        protected void onTimeout() {
            T value = otherwise;
            if (value != null) {
                deliver(value);
            }
        }
    }
}

package dev.carillon.signal;

import dev.carillon.SignalSet;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/**
 * Says that the program listens to signals, also between two waits, so that what comes meanwhile is kept for it.
 *
 * <p>A service that attaches by itself gives TERM, INT and HUP back to the process when the last wait for them was given up.
 * And of a signal that another service lends, or that has subscriptions, it keeps none for a later wait. A program that waits
 * again and again, as a flow does, and works between two waits, holds a claim from before the first wait to the end:
 *
 * <pre>{@code
 * try (SignalClaim claim = service.claim(SignalSet.of(Signal.SIGHUP))) {
 *     while (true) {
 *         reload(service.await(Signal.SIGHUP).get());
 *     }
 * }
 * }</pre>
 *
 * <p>It attaches nothing: until the first wait, or {@link SignalService#prepare}, the signal does what it always did.
 *
 * <p><b>Threading:</b> any thread. The first end counts.
 */
public final class SignalClaim implements AutoCloseable {
    private final SignalSet signals;
    private final Consumer<Boolean> onEnd;
    private final AtomicBoolean isOver = new AtomicBoolean();

    /**
     * A claim that has begun.
     *
     * @param onEnd called once, with whether it was fulfilled
     */
    SignalClaim(SignalSet signals, Consumer<Boolean> onEnd) {
        this.signals = signals;
        this.onEnd = onEnd;
    }

    /** Ends it: like a wait that was cancelled. */
    @Override
    public void close() {
        end(false);
    }

    /** Ends it with what it was held for: like a wait that got its signal. What comes now is kept as before. */
    public void fulfil() {
        end(true);
    }

    private void end(boolean isFulfilled) {
        if (isOver.compareAndSet(false, true)) {
            onEnd.accept(isFulfilled);
        }
    }

    /** As in {@code SignalClaim[{SIGHUP}]}. */
    @Override
    public String toString() {
        return "SignalClaim[" + signals + (isOver.get() ? ", over]" : "]");
    }
}

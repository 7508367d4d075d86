package dev.carillon.signal;

import dev.carillon.ClosedException;
import dev.carillon.SignalInfo;
import dev.carillon.SignalSet;
import dev.carillon.sys.Deadlines;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Sees each signal of its kinds until it is closed, whatever other waits and subscriptions there are.
 *
 * <pre>{@code
 * try (SignalSubscription hangups = service.subscribe(SignalSet.of(Signal.SIGHUP))) {
 *     while (true) {
 *         reload(hangups.await().join());
 *     }
 * }
 * }</pre>
 *
 * <p>Waits on a service share its signals between them; each subscription has all of them. It keeps what comes
 * while there is no wait on it, in a queue of its own with the service's bounds; a standard signal that finds no room is dropped
 * for it alone, and counted ({@link SignalStats#dropped}). The first one also gets what was pending. While
 * there is one, a service keeps signals of its kinds only for who listens between two waits ({@link SignalService#claim}). What a subscription has not been asked for when it is closed,
 * and no other has got, goes to the waits on the service, or is kept there.
 *
 * <p><b>Threading:</b> any thread. Futures are completed on the loop thread.
 *
 * <p><b>Ownership:</b> the subscriber closes it; a service that is closed ends its subscriptions.
 */
public final class SignalSubscription implements AutoCloseable {
    private final Subscriptions.Subscription place;
    private final SignalClaim claim;

    SignalSubscription(Subscriptions.Subscription place, SignalClaim claim) {
        this.place = place;
        this.claim = claim;
    }

    /** What it was made for. */
    public SignalSet signals() {
        return place.signals();
    }

    /**
     * The next signal that this subscription has not seen yet.
     *
     * @return completed on the loop thread; failed with {@link ClosedException} if the subscription or the service is
     *     closed first, or the signal is released, and with the cause if the signals could not be attached; if it is
     *     cancelled, or completed otherwise, it takes no record
     */
    public CompletableFuture<SignalInfo> await() {
        FutureWaiter<SignalInfo> wait = FutureWaiter.of(place.loop(), signals());
        start(wait);
        return wait.future();
    }

    /** The next signal, or nothing if it does not come in time, as {@link SignalService#await(dev.carillon.Signal, Duration)}. */
    public CompletableFuture<Optional<SignalInfo>> await(Duration atMost) {
        FutureWaiter<Optional<SignalInfo>> wait = FutureWaiter.withTimeLimit(place.loop(), signals());
        start(wait, atMost);
        return wait.future();
    }

    /**
     * Begins a wait with callbacks, for some or all of its signals.
     *
     * @throws IllegalArgumentException if the waiter waits for others
     * @throws IllegalStateException if the waiter was started before
     */
    public void start(SignalWaiter waiter) {
        startUntil(waiter, Deadlines.NEVER);
    }

    /** Begins a wait that calls {@link SignalWaiter#onTimeout} when the time is over first. */
    public void start(SignalWaiter waiter, Duration atMost) {
        startUntil(waiter, Deadlines.after(place.loop().nanoTime(), atMost));
    }

    private void startUntil(SignalWaiter waiter, long deadline) {
        if (!signals().containsAll(waiter.signals())) {
            throw new IllegalArgumentException("waiter=" + waiter + ": " + this + " does not see all of these");
        }
        place.start(waiter, deadline);
    }

    /** Ends it, and waits on it fail with {@link ClosedException}; as with {@link SignalClaim#close}. */
    @Override
    public void close() {
        end();
        claim.close();
    }

    /** Ends it with what it was made for, as with {@link SignalClaim#fulfil}: what comes now is kept by the service. */
    public void fulfil() {
        end();
        claim.fulfil();
    }

    private void end() {
        place.onLoop(() -> place.close(new ClosedException(this + " was closed while somebody waited")));
    }

    /** As in {@code SignalSubscription[{SIGHUP}]}. */
    @Override
    public String toString() {
        return "SignalSubscription[" + signals() + "]";
    }
}

package dev.carillon.signal;

import dev.carillon.ClosedException;
import dev.carillon.Signal;
import dev.carillon.SignalInfo;
import dev.carillon.SignalSet;
import dev.carillon.SyscallException;
import dev.carillon.loop.EventLoop;
import dev.carillon.sys.Deadlines;
import dev.carillon.sys.call.Sys;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Signals of this process, as something to wait for.
 *
 * <pre>{@code
 * try (EventLoop loop = EventLoop.open().start();
 *         SignalService signals = SignalService.attach(loop, SignalSet.of(Signal.SIGHUP))) {
 *     signals.await(Signal.SIGHUP).thenAccept(hup -> System.out.println("from pid " + hup.pid()));
 * }
 * }</pre>
 *
 * <p>A signal that comes before a wait for it begins is kept. Waits for one signal share what comes, in the order in which
 * they began; a subscription sees each one ({@link #subscribe}). A record that a cancelled wait leaves over goes to the next.
 * The kernel merges standard signals that come close together, so one record means "at least one"; real-time signals all
 * come, with their values.
 *
 * <p><b>Threading:</b> any thread, but {@link #tryPopPending}. Futures are completed on the loop thread.
 *
 * <p><b>Ownership:</b> the caller of attach closes the service; a loop that ends closes its services.
 *
 * <p><b>See:</b> docs/signals-on-the-jvm.md, signal(7).
 */
public final class SignalService implements AutoCloseable {
    /** The services that loops make for themselves, on first use; each lives as long as its loop. */
    private static final ConcurrentHashMap<EventLoop, SignalService> OF_LOOPS = new ConcurrentHashMap<>();

    private final boolean isImplicit;
    private final ServiceCore core;

    SignalService(EventLoop loop, SignalOptions options, Supplier<Sys> sys, boolean isImplicit) {
        this.isImplicit = isImplicit;
        core = new ServiceCore(loop, options, sys, isImplicit);
    }

    /**
     * Attaches signals to a loop: from now on they are records, and do nothing else to the process.
     *
     * <p>Takes effect on the loop thread before this returns; on a loop that has no thread yet, when it starts. Signals
     * that were ignored when the process began stay ignored, see {@link #ignored()}. Any thread but that of another loop.
     *
     * @throws IllegalArgumentException if one of them cannot be attached by any service
     * @throws IllegalStateException if one of them belongs to another service
     * @throws UnsupportedOperationException if this platform cannot do it
     * @throws SyscallException if descriptors or memory are short (EMFILE, ENFILE, ENOMEM), and one of them cannot be had
     *     without; a later attach tries again
     * @throws RejectedExecutionException if the loop stops or is closed
     */
    public static SignalService attach(EventLoop loop, SignalSet signals) {
        return attach(loop, signals, SignalOptions.defaults());
    }

    /** Attaches signals to a loop, as {@link #attach(EventLoop, SignalSet)} does. */
    public static SignalService attach(EventLoop loop, SignalSet signals, SignalOptions options) {
        return attach(loop, signals, options, Sys::get);
    }

    static SignalService attach(EventLoop loop, SignalSet signals, SignalOptions options, Supplier<Sys> sys) {
        Objects.requireNonNull(signals, "signals");
        LoopCall.ensureMayRun(loop, "SignalService.attach()");
        SignalService service = new SignalService(loop, options, sys, false);
        service.core.attachFirst(signals);
        return service;
    }

    /**
     * The service of the whole process, on {@link EventLoop#shared()}: it attaches a signal when it is first awaited.
     *
     * <p>A wait returns before that has been done, so a busy loop holds up no caller; a signal that must not come too early
     * is taken over by {@link #prepare} first. What cannot be attached fails the wait.
     *
     * <p>If TERM, INT or HUP comes after the last wait for it was given up (cancelled, timed out), and no other wait has
     * begun, it does after some seconds what it would do without us, and a warning is logged. While a program works on a
     * signal that it got, what comes is kept. Any thread.
     */
    public static SignalService shared() {
        return on(EventLoop.shared());
    }

    /**
     * The service that a loop makes for itself: as {@link #shared()}, but on that loop, and closed with it. Any thread.
     *
     * <p>Signals that another service of the loop has, by {@link #attach(EventLoop, SignalSet)}, are waited for there.
     *
     * @throws RejectedExecutionException if the loop stops or is closed
     */
    public static SignalService on(EventLoop loop) {
        SignalService known = OF_LOOPS.get(loop);
        return known != null ? known : OF_LOOPS.computeIfAbsent(loop, SignalService::newImplicit);
    }

    private static SignalService newImplicit(EventLoop loop) {
        SignalService service = new SignalService(loop, SignalOptions.defaults(), Sys::get, true);
        loop.register(() -> OF_LOOPS.remove(loop));
        return service;
    }

    /** All signals that services of this loop have, so that {@link #on} can wait for them there. Any thread. */
    public static SignalSet attachedOn(EventLoop loop) {
        return ServiceCore.OWNERS.of(loop);
    }

    /**
     * Takes signals over before the first wait for them, on a service that attaches by itself. Any thread; it does not block.
     *
     * @return completed on the loop thread when they are records, with those that come here, without the
     *     {@link #ignored()} ones; it fails if one of them cannot be attached; if it is cancelled before the loop comes to
     *     it, nothing is attached
     * @throws IllegalArgumentException if one of them cannot be attached by any service
     * @throws IllegalStateException if one of them belongs to another service, or this one was attached without it
     */
    public CompletableFuture<SignalSet> prepare(SignalSet signals) {
        return core.prepare(signals);
    }

    /**
     * The next signal of this kind.
     *
     * @return completed on the loop thread; failed with {@link ClosedException} if the service is closed first; if it is
     *     cancelled, or completed otherwise, it takes no record
     * @throws IllegalStateException if the signal is not attached, or belongs to a service of another loop
     * @throws ClosedException if the service is closed
     * @throws RejectedExecutionException if its loop stops
     */
    public CompletableFuture<SignalInfo> await(Signal signal) {
        return awaitAny(SignalSet.of(signal));
    }

    /**
     * The next signal of these kinds, by arrival; the others stay for others.
     *
     * @throws IllegalArgumentException if there are none
     */
    public CompletableFuture<SignalInfo> awaitAny(SignalSet signals) {
        FutureWaiter<SignalInfo> wait = FutureWaiter.of(loop(), signals);
        start(wait);
        return wait.future();
    }

    /**
     * The next signal of this kind, or nothing if it does not come in time. The loop decides: a record that came in time
     * is never lost to the timeout.
     *
     * @param atMost zero or less takes only what is pending
     */
    public CompletableFuture<Optional<SignalInfo>> await(Signal signal, Duration atMost) {
        FutureWaiter<Optional<SignalInfo>> wait = FutureWaiter.withTimeLimit(loop(), SignalSet.of(signal));
        start(wait, atMost);
        return wait.future();
    }

    /**
     * Begins a wait with callbacks; on the loop thread, outside of other callbacks, they may be called before this returns.
     *
     * @throws IllegalStateException if a signal is not attached, or the waiter was started before
     * @throws ClosedException if the service is closed
     */
    public void start(SignalWaiter waiter) {
        core.start(waiter, Deadlines.NEVER);
    }

    /** Begins a wait that calls {@link SignalWaiter#onTimeout} when the time is over first. */
    public void start(SignalWaiter waiter, Duration atMost) {
        core.start(waiter, Deadlines.after(loop().nanoTime(), atMost));
    }

    /**
     * Subscribes to signals: each subscription sees each of them, whatever else waits for it. On a service that attaches by
     * itself they are attached when the loop comes to it; what fails then, fails the waits. Any thread.
     *
     * @throws IllegalArgumentException if there are none, or one of them cannot be had by anybody
     * @throws IllegalStateException if one of them is not attached, or belongs to a service of another loop
     */
    public SignalSubscription subscribe(SignalSet signals) {
        return core.subscribe(signals);
    }

    /**
     * Says that the caller listens to these signals from now on, also between two waits; it attaches nothing. Needed only
     * where a service would give TERM, INT or HUP back to the process, or where another service lends the signal, as that of a
     * lifecycle does, see {@link SignalClaim}. Any thread.
     */
    public SignalClaim claim(SignalSet signals) {
        return core.claim(signals);
    }

    /**
     * Takes the oldest pending record; null if there is none.
     *
     * <p><b>Threading:</b> the loop thread.
     *
     * @throws IllegalStateException on another thread
     */
    public @Nullable SignalInfo tryPopPending(Signal signal) {
        return core.poll(signal);
    }

    /**
     * Pretends that a signal came: for tests. Any thread.
     *
     * @throws IllegalStateException if it is not attached
     */
    public void inject(SignalInfo info) {
        core.inject(info);
    }

    /** The signals that come here; without those that are {@link #ignored()}. Any thread. */
    public SignalSet attached() {
        return core.attachments().attached();
    }

    /** Signals that were attached, but stay ignored, since they were when the process began. Any thread. */
    public SignalSet ignored() {
        return core.attachments().ignored();
    }

    /**
     * Gives one signal back to the process: it does again what it did before. Waits for it fail with
     * {@link ClosedException}, what is pending is dropped. If it is not attached, nothing happens.
     *
     * <p><b>Threading:</b> any thread but that of another loop; it has taken effect when this returns, as with attach.
     */
    public void release(Signal signal) {
        core.release(signal);
    }

    /** How signals come here: not AUTO any more once it has taken effect. Any thread. */
    public CaptureKind capture() {
        return core.captures().kind();
    }

    /** Why it is that capture, for a person. Any thread. */
    public String captureReason() {
        return core.captures().reason();
    }

    /**
     * Attached signals that do not come here any more, since other code has installed a handler over ours. The JVM capture
     * cannot tell. Any thread.
     *
     * <p>Release such a signal, or have that handler call the one that was there before it, as a good handler does.
     */
    public SignalSet displaced() {
        return core.captures().displaced();
    }

    /** What it has done so far. Any thread. */
    public SignalStats stats() {
        return core.stats();
    }

    /** The loop on which it lives. */
    public EventLoop loop() {
        return core.loop();
    }

    /** Whether it was closed, or its loop has ended. Any thread. */
    public boolean isClosed() {
        return core.isClosed();
    }

    /**
     * Gives all signals back to the process; waits fail with {@link ClosedException}. A second call does nothing.
     *
     * <p><b>Threading:</b> any thread; it has taken effect when this returns, but on another loop's thread.
     *
     * @throws UnsupportedOperationException for one that a loop made for itself
     */
    @Override
    public void close() {
        if (isImplicit) {
            throw new UnsupportedOperationException(
                    this + " belongs to its loop and is closed with it; release() gives single signals back");
        }
        core.close();
    }

    /** As in {@code SignalService[carillon-loop, {SIGHUP}]}. */
    @Override
    public String toString() {
        return core.toString();
    }
}

package dev.carillon.signal;

import dev.carillon.ClosedException;
import dev.carillon.Signal;
import dev.carillon.SignalInfo;
import dev.carillon.SignalSet;
import dev.carillon.SyscallException;
import dev.carillon.loop.EventLoop;
import dev.carillon.sys.Deadlines;
import dev.carillon.sys.LoopThreads;
import dev.carillon.sys.StackRoom;
import dev.carillon.sys.call.Sys;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
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
 * <p>A signal that comes before anybody waits for it is kept. Of those who wait for one signal, who began first gets the
 * first; they share the signals between them, and who wants to see each one subscribes ({@link #subscribe}). A record that a
 * cancelled wait leaves over goes to the next. The kernel merges standard signals that come close
 * together, so one record means "at least one"; real-time signals all come, with their values.
 *
 * <p><b>Threading:</b> any thread, but {@link #tryPopPending}. Futures are completed on the loop thread.
 *
 * <p><b>Ownership:</b> whoever attached a service closes it; a loop that ends closes its services.
 *
 * <p><b>See:</b> docs/signals-on-the-jvm.md, signal(7).
 */
public final class SignalService implements AutoCloseable {
    private final EventLoop loop;
    private final boolean isImplicit;
    private final SignalDesk desk;
    private final Attachments attachments;

    SignalService(EventLoop loop, SignalOptions options, Supplier<Sys> sys, boolean isImplicit) {
        this.loop = loop;
        this.isImplicit = isImplicit;
        desk = new SignalDesk(loop, options, sys, isImplicit);
        attachments = desk.attachments();
        loop.register(desk);
    }

    /**
     * Attaches signals to a loop: from now on they are records, and do nothing else to the process.
     *
     * <p>Takes effect on the loop thread before this returns; on a loop that nobody runs yet, when it starts. Signals
     * that were ignored when the process began stay ignored, see {@link #ignored()}.
     *
     * <p><b>Threading:</b> any thread but that of another loop.
     *
     * @throws IllegalArgumentException if one of them cannot be had by anybody
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
        if (!loop.inLoop() && loop.hasThread()) {
            LoopThreads.ensureMayBlock("SignalService.attach()");
        }
        StackRoom.ensureDeep();
        SignalService service = new SignalService(loop, options, sys, false);
        try {
            service.attachFirst(signals);
        } catch (RuntimeException | Error failure) {
            service.desk.abandon();
            throw failure;
        }
        return service;
    }

    /**
     * The service of the whole process, on {@link EventLoop#shared()}: it attaches a signal when it is first awaited.
     *
     * <p>A wait returns before that has been done, so that nobody is held up by a loop that is busy; a signal that must
     * not come too early is taken over by {@link #prepare} first. What cannot be attached fails the wait.
     *
     * <p>If TERM, INT or HUP comes after the last one who waited for it has given up (cancelled, timed out), and nobody
     * else waits, it does after some seconds what it would do without us, and a warning is logged. Whoever got one and is
     * busy with it loses none: what comes meanwhile is kept. Any thread.
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
        return ImplicitSignals.of(loop);
    }

    /** All signals that services of this loop have, so that {@link #on} can wait for them there. Any thread. */
    public static SignalSet attachedOn(EventLoop loop) {
        return SignalOwners.of(loop);
    }

    private void attachFirst(SignalSet signals) {
        SignalSet claimed = attachments.claim(signals);
        try {
            LoopHop.run(loop, "attaching " + signals, () -> attachments.attach(signals, false));
        } catch (RuntimeException | Error failure) {
            attachments.giveUp(claimed);
            throw failure;
        }
    }

    /**
     * Takes signals over before the first wait for them, on a service that attaches by itself: when the future is
     * completed they are records, and do nothing else to the process. Where they are attached already nothing is left to
     * be done. Any thread; it does not block.
     *
     * @return completed on the loop thread with those that come here, without the {@link #ignored()} ones; it fails if one
     *     of them cannot be attached; if it is cancelled before the loop comes to it, nothing is attached
     * @throws IllegalArgumentException if one of them cannot be had by anybody
     * @throws IllegalStateException if one of them belongs to another service, or is not attached to one that was attached
     *     explicitly
     */
    public CompletableFuture<SignalSet> prepare(SignalSet signals) {
        ensureOpen();
        SignalDesk at = deskFor(signals);
        SignalStage<SignalSet> prepared = new SignalStage<>();
        if (loop.inLoop()) {
            at.prepare(signals, prepared);
        } else {
            loop.execute(() -> at.prepare(signals, prepared));
        }
        return prepared;
    }

    /**
     * The next signal of this kind.
     *
     * @return completed on the loop thread; failed with {@link ClosedException} if the service is closed first; whoever
     *     cancels it, or completes it otherwise, takes no record
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
        SignalFuture<SignalInfo> future = new SignalFuture<>(signals, info -> info, null);
        start(future.waiter());
        return future;
    }

    /**
     * The next signal of this kind, or nothing if it does not come in time. The loop decides: a record that came in time
     * is never lost to the timeout.
     *
     * @param atMost zero or less takes only what is pending
     */
    public CompletableFuture<Optional<SignalInfo>> await(Signal signal, Duration atMost) {
        SignalFuture<Optional<SignalInfo>> future =
                new SignalFuture<>(SignalSet.of(signal), Optional::of, Optional.empty());
        start(future.waiter(), atMost);
        return future;
    }

    /**
     * Begins a wait with callbacks; on the loop thread, outside of other callbacks, they may be called before this returns.
     *
     * @throws IllegalStateException if a signal is not attached, or the waiter was started before
     * @throws ClosedException if the service is closed
     */
    public void start(SignalWaiter waiter) {
        startUntil(waiter, Long.MAX_VALUE);
    }

    /** Begins a wait that calls {@link SignalWaiter#onTimeout} when the time is over first. */
    public void start(SignalWaiter waiter, Duration atMost) {
        long now = loop.nanoTime();
        startUntil(waiter, Deadlines.after(now, atMost));
    }

    private void startUntil(SignalWaiter waiter, long deadline) {
        ensureOpen();
        SignalDesk at = deskFor(waiter.signals());
        waiter.startOn(at, deadline);
        if (loop.inLoop()) {
            waiter.onLoop(at);
        } else {
            loop.execute(() -> waiter.onLoop(at));
        }
    }

    private void ensureOpen() {
        if (desk.isClosed()) {
            throw new ClosedException(this + " was closed and brings no signals any more; attach another one");
        }
    }

    /** Where these signals are waited for; what cannot be is refused here already, as far as it is known. */
    private SignalDesk deskFor(SignalSet signals) {
        if (isImplicit) {
            Attachable.check(signals);
            SignalDesk at = SignalOwners.deskFor(desk, signals);
            if (at != desk) {
                at.attachments().ensureClaimedByNow(signals);
            }
            return at;
        }
        attachments.ensureClaimed(signals);
        return desk;
    }

    /**
     * Subscribes to signals: each subscription sees each of them, whoever else waits. On a service that attaches by itself
     * they are attached when the loop comes to it; what fails then, fails the waits. Any thread.
     *
     * @throws IllegalArgumentException if there are none, or one of them cannot be had by anybody
     * @throws IllegalStateException if one of them is not attached, or belongs to a service of another loop
     */
    public SignalSubscription subscribe(SignalSet signals) {
        if (signals.isEmpty()) {
            throw new IllegalArgumentException("signals={}: nobody can subscribe to none; name at least one");
        }
        ensureOpen();
        return new SignalSubscription(deskFor(signals), signals);
    }

    /**
     * Says that somebody listens to these signals from now on, also between two waits. Needed only where a service that
     * attaches by itself would give TERM, INT or HUP back to the process, see {@link SignalClaim}; it attaches nothing.
     * Any thread.
     */
    public SignalClaim claim(SignalSet signals) {
        return desk.claim(signals);
    }

    /**
     * Takes the oldest pending record; null if there is none.
     *
     * <p><b>Threading:</b> the loop thread.
     *
     * @throws IllegalStateException on another thread
     */
    public @Nullable SignalInfo tryPopPending(Signal signal) {
        if (!loop.inLoop()) {
            throw new IllegalStateException("tryPopPending() belongs on the thread of " + loop
                    + "; elsewhere use await(signal, Duration.ZERO)");
        }
        SignalDesk owner = SignalOwners.of(signal.number());
        return (isImplicit && owner != null && owner.loop() == loop ? owner : desk).poll(signal);
    }

    /**
     * Pretends that a signal came: for tests. Any thread.
     *
     * @throws IllegalStateException if it is not attached
     */
    public void inject(SignalInfo info) {
        ensureOpen();
        attachments.ensureClaimed(SignalSet.of(info.signal()));
        if (loop.inLoop()) {
            desk.arrived(info, loop.nanoTime());
        } else {
            loop.execute(() -> desk.arrived(info, loop.nanoTime()));
        }
    }

    /** The signals that come here; without those that are {@link #ignored()}. Any thread. */
    public SignalSet attached() {
        return attachments.attached();
    }

    /** Signals that were attached, but stay ignored, since they were when the process began. Any thread. */
    public SignalSet ignored() {
        return attachments.ignored();
    }

    /**
     * Gives one signal back to the process: it does again what it did before. Who waits for it fails with
     * {@link ClosedException}, what is pending is dropped. If it is not attached, nothing happens.
     *
     * <p><b>Threading:</b> any thread but that of another loop; it has taken effect when this returns, as with attach.
     */
    public void release(Signal signal) {
        if (attachments.claimed().contains(signal)) {
            if (!loop.inLoop() && loop.hasThread()) {
                LoopThreads.ensureMayBlock("SignalService.release()");
            }
            StackRoom.ensureDeep();
            LoopHop.run(loop, "releasing " + signal, () -> desk.release(signal));
        }
    }

    /** How signals come here: not AUTO any more once it has taken effect. Any thread. */
    public CaptureKind capture() {
        return attachments.kind();
    }

    /** Why it is that capture, for a person. Any thread. */
    public String captureReason() {
        return attachments.reason();
    }

    /**
     * Attached signals that do not come here any more, since somebody has installed a handler of his own over ours. As far
     * as this can be known: the JVM capture does not know it. Any thread.
     *
     * <p>Release such a signal, or have that handler call the one that was there before it, as a good handler does.
     */
    public SignalSet displaced() {
        return attachments.displaced();
    }

    /** What it has done so far. Any thread. */
    public SignalStats stats() {
        return desk.stats();
    }

    /** The loop on which it lives. */
    public EventLoop loop() {
        return loop;
    }

    /** Whether it was closed, or its loop has ended. Any thread. */
    public boolean isClosed() {
        return desk.isClosed();
    }

    /**
     * Gives all signals back to the process; who waits fails with {@link ClosedException}. A second call does nothing.
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
        desk.close();
    }

    /** As in {@code SignalService[carillon-loop, {SIGHUP}]}. */
    @Override
    public String toString() {
        return desk.toString();
    }
}

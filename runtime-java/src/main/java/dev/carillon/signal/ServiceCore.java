package dev.carillon.signal;

import dev.carillon.ClosedException;
import dev.carillon.Signal;
import dev.carillon.SignalInfo;
import dev.carillon.SignalSet;
import dev.carillon.loop.EventLoop;
import dev.carillon.loop.LoopService;
import dev.carillon.sys.StackRoom;
import dev.carillon.sys.call.Sys;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What is behind a {@link SignalService}: its parts put together, how it begins, and how it ends.
 *
 * <p><b>Threading:</b> any thread, but where the loop's is named.
 */
final class ServiceCore implements LoopService, SignalDelivery.Admission, Lending.Borrower {
    /** All of this process, by what they have. */
    static final SignalOwners<ServiceCore> OWNERS = new SignalOwners<>(ServiceCore::loop, core -> core.lends);

    private final EventLoop loop;
    private final boolean attachesByItself;
    private final boolean lends;
    private final Lending lending;
    private final UnclaimedGuard unclaimed;
    private final SignalDelivery delivery;
    private final CaptureChoice captures;
    private final Attachments attachments;
    private final LeftOver leftOver;
    private boolean hasEnded;

    /**
     * A service, registered with its loop.
     *
     * @param attachesByItself whether a wait attaches its signals; else they are attached before
     */
    ServiceCore(EventLoop loop, SignalOptions options, Supplier<Sys> sys, boolean attachesByItself) {
        this.loop = loop;
        this.attachesByItself = attachesByItself;
        lends = options.lends();
        lending = new Lending(this);
        Supplier<SignalQueues> newQueues = () -> new SignalQueues(options.pendingStandard(), options.pendingRealtime());
        SignalQueues queues = newQueues.get();
        unclaimed =
                new UnclaimedGuard(loop, queues, options.unclaimedAfter(), this::isAttachedByWait, this::giveToProcess);
        delivery = new SignalDelivery(loop, queues, newQueues, unclaimed, this);
        captures = new CaptureChoice(loop, delivery, options, sys, this::toString);
        leftOver = new LeftOver(lends, captures::raise);
        attachments = new Attachments(
                signals -> OWNERS.claim(this, signals),
                signals -> OWNERS.release(this, signals),
                captures,
                this::toString);
        loop.register(this);
    }

    EventLoop loop() {
        return loop;
    }

    boolean isClosed() {
        return delivery.isClosed();
    }

    Attachments attachments() {
        return attachments;
    }

    CaptureChoice captures() {
        return captures;
    }

    private boolean isAttachedByWait(Signal signal) {
        return attachesByItself && attachments.isEffective(signal);
    }

    /** A signal that was wanted once, and is wanted no more, does again what it did before us. */
    private void giveToProcess(Signal signal) {
        releaseOnLoop(signal);
        captures.raise(signal);
    }

    /** Attaches the signals of a service that does not attach by itself, or abandons it. */
    void attachFirst(SignalSet signals) {
        try {
            if (lends) {
                takeOver(signals);
            }
            SignalSet claimed = attachments.claim(signals);
            try {
                LoopCall.run(loop, "attaching " + signals, () -> attachments.attach(signals));
            } catch (RuntimeException | Error failure) {
                attachments.giveUp(claimed);
                throw failure;
            }
        } catch (RuntimeException | Error failure) {
            abandon();
            throw failure;
        }
    }

    @Override
    public @Nullable RuntimeException refusal(SignalSet signals) {
        if (delivery.isClosed()) {
            return new ClosedException(this + " was closed before the wait began");
        }
        return attachesByItself ? refusalToAttach(signals) : attachments.refusal(signals);
    }

    /** Borrows what another service lends, and attaches the rest. */
    private @Nullable RuntimeException refusalToAttach(SignalSet signals) {
        SignalSet lent = OWNERS.lentTo(this, signals);
        for (Signal signal : lent) {
            ServiceCore owner = OWNERS.of(signal);
            if (owner != null) {
                lending.borrow(signal, owner.lending);
            }
        }
        return attachments.refusalToAttach(signals.minus(lent));
    }

    @Override
    public void onWait(SignalSet signals) {
        attachments.warnOfIgnored(signals);
    }

    @Override
    public boolean has(Signal signal) {
        return attachments.claimed().contains(signal);
    }

    @Override
    public boolean borrows(Signal signal) {
        return lending.borrows(signal);
    }

    @Override
    public void passOn(SignalInfo info) {
        ServiceCore owner = OWNERS.of(info.signal());
        if (owner != null && owner != this) {
            owner.onLoop(() -> owner.delivery.arrived(info, owner.loop.nanoTime(), owner.loop));
        }
    }

    @Override
    public void onArrived(SignalInfo info) {
        lending.copy(info);
    }

    @Override
    public void onUnused(Signal signal) {
        leftOver.add(signal);
    }

    @Override
    public void onLoop(Runnable action) {
        delivery.onLoop(action);
    }

    @Override
    public void onCopy(SignalInfo info) {
        delivery.arrivedAsCopy(info);
    }

    /** As if the waits that are there began now. */
    @Override
    public void onLenderGone(Signal signal) {
        if (delivery.isClosed() || !delivery.isWanted(signal)) {
            return;
        }
        SignalSet one = SignalSet.of(signal);
        RuntimeException refusal = refusalToAttach(one);
        if (refusal != null) {
            ClosedException closed = new ClosedException(signal + " was released, and " + this + " cannot attach it");
            closed.initCause(refusal);
            delivery.fail(one, closed);
        }
    }

    /** Takes over what services have that attach by themselves. */
    // r[impl signal.takeover]
    private void takeOver(SignalSet signals) {
        for (Signal signal : signals) {
            ServiceCore owner = OWNERS.of(signal);
            if (owner != null && owner != this && owner.attachesByItself) {
                takeOver(signal, owner);
            }
        }
    }

    private void takeOver(Signal signal, ServiceCore owner) {
        AtomicReference<CaptureChoice.@Nullable Handover> handed = new AtomicReference<>();
        LoopCall.run(owner.loop, "taking over " + signal, () -> handed.set(owner.handOver(signal, this)));
        CaptureChoice.Handover handover = handed.get();
        if (handover != null) {
            attachments.takeOver(signal, handover);
            owner.onLoop(handover.signal().end());
        }
    }

    /** On the loop: the waits stay, and what is pending goes with the signal. */
    private CaptureChoice.@Nullable Handover handOver(Signal signal, ServiceCore to) {
        CaptureChoice.Handover handover = attachments.handOver(signal);
        if (handover != null && OWNERS.handOver(signal, this, to)) {
            lending.borrow(signal, to.lending);
            delivery.takePending(signal).forEach(this::passOn);
        }
        return handover;
    }

    private void ensureOpen() {
        if (delivery.isClosed()) {
            throw new ClosedException(this + " was closed and brings no signals any more; attach another one");
        }
    }

    /** The service that waits for these signals; what cannot be waited for is refused here already, as far as it is known. */
    private ServiceCore waitingFor(SignalSet signals) {
        if (!attachesByItself) {
            attachments.ensureClaimed(signals);
            return this;
        }
        ForbiddenSignals.check(signals);
        ServiceCore at = OWNERS.placeFor(this, signals);
        if (at != this) {
            at.attachments.ensureClaimedByNow(signals);
        }
        return at;
    }

    void start(SignalWaiter waiter, long deadline) {
        ensureOpen();
        waitingFor(waiter.signals()).delivery.start(waiter, deadline);
    }

    /** As if a wait began, but without the wait. */
    CompletableFuture<SignalSet> prepare(SignalSet signals) {
        ensureOpen();
        ServiceCore at = waitingFor(signals);
        CompletableFuture<SignalSet> prepared = loop.newFuture();
        runOnLoop(() -> at.prepare(signals, prepared));
        return prepared;
    }

    private void prepare(SignalSet signals, CompletableFuture<SignalSet> prepared) {
        if (prepared.isDone()) {
            return;
        }
        RuntimeException refusal = refusal(signals);
        if (refusal == null) {
            prepared.complete(signals.minus(attachments.ignored()));
        } else {
            prepared.completeExceptionally(refusal);
        }
    }

    /** On the loop thread: now if this is it. */
    private void runOnLoop(Runnable action) {
        if (loop.inLoop()) {
            action.run();
        } else {
            loop.execute(action);
        }
    }

    /** Pretends that a signal came. */
    void inject(SignalInfo info) {
        ensureOpen();
        attachments.ensureClaimed(SignalSet.of(info.signal()));
        runOnLoop(() -> delivery.injected(info));
    }

    SignalSubscription subscribe(SignalSet signals) {
        if (signals.isEmpty()) {
            throw new IllegalArgumentException("signals={}: nobody can subscribe to none; name at least one");
        }
        ensureOpen();
        ServiceCore at = waitingFor(signals);
        SignalClaim claim = at.claimForSubscription(signals);
        return new SignalSubscription(at.delivery.newSubscription(signals), claim);
    }

    SignalClaim claim(SignalSet signals) {
        delivery.onLoop(() -> delivery.onClaim(signals));
        return new SignalClaim(
                signals, isFulfilled -> delivery.onLoop(() -> delivery.onClaimEnd(signals, isFulfilled)));
    }

    /** The service keeps nothing for a subscription, which does that itself. */
    private SignalClaim claimForSubscription(SignalSet signals) {
        delivery.onLoop(() -> unclaimed.onClaim(signals));
        return new SignalClaim(
                signals, isFulfilled -> delivery.onLoop(() -> unclaimed.onClaimEnd(signals, isFulfilled)));
    }

    /** Takes the oldest pending record; null if there is none. On the loop thread. */
    @Nullable
    SignalInfo poll(Signal signal) {
        if (!loop.inLoop()) {
            throw new IllegalStateException("tryPopPending() belongs on the thread of " + loop
                    + "; elsewhere use await(signal, Duration.ZERO)");
        }
        ServiceCore owner = OWNERS.of(signal);
        return (attachesByItself && owner != null && owner.loop == loop ? owner : this).delivery.poll(signal);
    }

    void release(Signal signal) {
        if (attachments.claimed().contains(signal)) {
            LoopCall.ensureMayRun(loop, "SignalService.release()");
            LoopCall.run(loop, "releasing " + signal, () -> releaseOnLoop(signal));
        }
    }

    private void releaseOnLoop(Signal signal) {
        SignalSet one = SignalSet.of(signal);
        try {
            SignalSet came = leftOver.during(() -> attachments.detach(one));
            lending.end(one, came, leftOver::raise);
        } finally {
            delivery.fail(one, new ClosedException(signal + " was released from " + this));
        }
    }

    /** The loop has no thread yet: gives the signals up for others; the rest is done when it starts, or is closed. */
    private void closeBeforeStart() {
        delivery.close();
        attachments.giveUp(attachments.claimed());
    }

    /** Attaching has failed, so there is nothing to be put back; does not wait for the loop. */
    private void abandon() {
        if (loop.inLoop()) {
            onLoopEnd();
            return;
        }
        closeBeforeStart();
        try {
            loop.execute(this::onLoopEnd);
        } catch (RejectedExecutionException loopEnds) {
            // It closes its services by itself.
        }
    }

    /** Closes the service; on another loop's thread it does not wait. */
    // r[impl signal.detach]
    void close() {
        if (delivery.isClosed()) {
            return;
        }
        StackRoom.ensureDeep();
        if (!loop.hasThread()) {
            closeBeforeStart();
        }
        try {
            if (loop.inLoop() || EventLoop.currentOrNull() == null) {
                LoopCall.run(loop, "closing " + this, this::onLoopEnd);
            } else {
                loop.execute(this::onLoopEnd);
            }
        } catch (RejectedExecutionException loopEnds) {
            // The loop is about to close its services by itself.
        }
    }

    /** Closes the service. On the loop thread. */
    @Override
    public void onLoopEnd() {
        if (hasEnded) {
            return;
        }
        hasEnded = true;
        String name = toString();
        delivery.close();
        loop.unregister(this);
        SignalSet had = attachments.claimed();
        lending.giveBackAll();
        try {
            SignalSet came = leftOver.during(attachments::close);
            lending.end(had, came, leftOver::raise);
        } finally {
            delivery.failAll(new ClosedException(name + " was closed while somebody waited"));
        }
    }

    SignalStats stats() {
        return delivery.stats(captures.refused());
    }

    /** The name of its service. */
    @Override
    public String toString() {
        return "SignalService[" + loop.name() + ", " + attachments.claimed()
                + (delivery.isClosed() ? ", closed]" : "]");
    }
}

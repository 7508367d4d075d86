package dev.carillon.signal;

import dev.carillon.ClosedException;
import dev.carillon.Signal;
import dev.carillon.SignalInfo;
import dev.carillon.SignalSet;
import dev.carillon.loop.EventLoop;
import dev.carillon.loop.LoopService;
import dev.carillon.sys.StackRoom;
import dev.carillon.sys.call.Sys;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The part of a service that lives on the loop: records come in from a capture, waiters come in from anywhere.
 *
 * <p><b>Threading:</b> the loop's, but {@link #soon}, {@link #isClosed}, {@link #stats}, {@link #abandon},
 * {@link #close} and {@link #closeBeforeStart}.
 */
final class SignalDesk extends WaitPlace implements LoopService {
    private final EventLoop loop;
    private final SignalOptions options;
    private final SignalQueues queues;
    private final Attachments attachments;
    private final UnclaimedGuard unclaimed;
    private final Subscriptions subscriptions;
    private final boolean attachesByItself;
    private volatile boolean isClosed;
    private boolean hasEnded;

    // Statistics, written by the loop and read by anybody.
    private long delivered;
    private long withoutSender;

    /**
     * A desk.
     *
     * @param attachesByItself whether a wait attaches its signals; else they were attached before
     */
    SignalDesk(EventLoop loop, SignalOptions options, Supplier<Sys> sys, boolean attachesByItself) {
        super(loop);
        this.loop = loop;
        this.options = options;
        this.attachesByItself = attachesByItself;
        queues = newQueues();
        subscriptions = new Subscriptions(queues);
        attachments = new Attachments(this, options, sys);
        unclaimed = new UnclaimedGuard(this, queues, options.unclaimedAfter());
    }

    SignalQueues newQueues() {
        return new SignalQueues(options.pendingStandard(), options.pendingRealtime());
    }

    Subscriptions subscriptions() {
        return subscriptions;
    }

    Attachments attachments() {
        return attachments;
    }

    boolean isClosed() {
        return isClosed;
    }

    /** A signal came. */
    void arrived(SignalInfo info, long now) {
        arrived(info, now, null);
    }

    /** A signal came in a reader's turn. */
    void arrived(SignalInfo info, long now, @Nullable TurnEnd turn) {
        if (isClosed) {
            return;
        }
        if (subscriptions.want(info)) {
            arrivedForAll(info, now, turn);
            return;
        }
        SignalWaiter taker = queues.arrive(info, now);
        if (taker == null) {
            unclaimed.onPending(info.signal());
        } else {
            calls().soon(taker, turn);
        }
    }

    /** Each subscriber gets it, and so does the oldest who waits; it is kept only by those. */
    private void arrivedForAll(SignalInfo info, long now, @Nullable TurnEnd turn) {
        SignalRecord record = queues.shared(info, now);
        subscriptions.arrived(record, turn);
        SignalWaiter taker = queues.take(record);
        if (taker != null) {
            record.onHanded();
            calls().soon(taker, turn);
        }
    }

    /** How many more records of a real-time signal may come; if none, the action is run when there is room. */
    int room(Signal signal, Runnable whenRoom) {
        return Math.min(queues.room(signal, whenRoom), subscriptions.room(signal, whenRoom));
    }

    /** A signal came of which the kernel told nothing else. */
    void arrivedWithoutSender(Signal signal, long now) {
        withoutSender++;
        arrived(SignalInfo.of(signal), now);
    }

    /** From the JVM capture, which may be late. */
    void arrivedFromVm(Signal signal) {
        if (attachments.claimed().contains(signal)) {
            arrived(SignalInfo.of(signal), loop.nanoTime());
        }
    }

    /** Somebody listens to these signals. Any thread. */
    SignalClaim claim(SignalSet signals) {
        onLoop(() -> unclaimed.onClaim(signals));
        return new SignalClaim(this, signals);
    }

    /** For a claim. Any thread. */
    void endClaim(SignalSet signals, boolean isFulfilled) {
        onLoop(() -> unclaimed.onClaimEnd(signals, isFulfilled));
    }

    @Override
    boolean enter(SignalWaiter waiter) {
        SignalSet signals = waiter.signals();
        RuntimeException refusal = refusal(signals);
        if (refusal != null) {
            waiter.fail(this, refusal);
            return false;
        }
        attachments.warnOfIgnored(signals);
        unclaimed.onWanted(signals);
        return queues.enter(waiter);
    }

    /** Why nobody can wait for these; null if somebody can, now. */
    @Nullable
    RuntimeException refusal(SignalSet signals) {
        if (isClosed) {
            return new ClosedException(this + " was closed before the wait began");
        }
        if (attachesByItself) {
            return attachments.has(signals) ? null : attachRefusal(signals);
        }
        return attachments.hasClaimed(signals)
                ? null
                : new ClosedException(signals.minus(attachments.claimed()) + " was released from " + this);
    }

    /** Attaches what is missing, on the loop thread, so that nobody has to wait for that elsewhere. */
    // r[impl signal.implicit]
    private @Nullable RuntimeException attachRefusal(SignalSet signals) {
        StackRoom.ensureDeep();
        try {
            attachments.claim(signals);
            attachments.attach(signals, true);
            return null;
        } catch (RuntimeException failure) {
            return failure;
        }
    }

    /** As if somebody began to wait, but without the wait; nothing if the future is done already. */
    void prepare(SignalSet signals, CompletableFuture<SignalSet> prepared) {
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

    @Override
    void leave(SignalWaiter waiter) {
        queues.leave(waiter);
        unclaimed.onGivenUp(waiter.signals());
    }

    @Override
    void delivered(SignalRecord record, SignalSet wanted) {
        delivered++;
        unclaimed.onWanted(wanted);
        SignalEvents.delivered(record, loop);
    }

    // r[impl signal.stats]
    @Override
    void notKept() {
        delivered--;
    }

    @Override
    void takeBack(SignalRecord record) {
        if (isClosed || !attachments.claimed().contains(record.info().signal())) {
            return;
        }
        SignalRecord.Copies copies = record.copies();
        if (copies != null && !copies.giveUp()) {
            // Others have it.
            return;
        }
        if (subscriptions.want(record.info())) {
            subscriptions.arrived(record.alone().shared(), null);
            return;
        }
        SignalWaiter taker = queues.giveBack(record.alone());
        if (taker == null) {
            unclaimed.onPending(record.info().signal());
        } else {
            calls().soon(taker);
        }
    }

    @Nullable
    SignalInfo poll(Signal signal) {
        SignalRecord record = queues.poll(signal);
        if (record == null) {
            return null;
        }
        delivered(record, SignalSet.of(signal));
        return record.info();
    }

    void release(Signal signal) {
        SignalSet one = SignalSet.of(signal);
        try {
            attachments.detach(one);
        } finally {
            ClosedException cause = new ClosedException(signal + " was released from " + this);
            subscriptions.release(one, cause);
            failAll(queues.clear(one), cause);
        }
    }

    /** Nobody runs the loop yet: gives the signals up for others; the rest is done when it starts, or is closed. */
    void closeBeforeStart() {
        isClosed = true;
        attachments.giveUp(attachments.claimed());
    }

    /** Attaching has failed, so there is nothing to be put back; does not wait for the loop. */
    void abandon() {
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

    /** Closes the service from any thread; on another loop's it does not wait. */
    // r[impl signal.detach]
    void close() {
        if (isClosed) {
            return;
        }
        StackRoom.ensureDeep();
        if (!loop.hasThread()) {
            closeBeforeStart();
        }
        try {
            if (loop.inLoop() || EventLoop.currentOrNull() == null) {
                LoopHop.run(loop, "closing " + this, this::onLoopEnd);
            } else {
                loop.execute(this::onLoopEnd);
            }
        } catch (RejectedExecutionException loopEnds) {
            // The loop is about to close its services by itself.
        }
    }

    /** Closes the service. */
    @Override
    public void onLoopEnd() {
        if (hasEnded) {
            return;
        }
        hasEnded = true;
        String name = toString();
        isClosed = true;
        loop.unregister(this);
        try {
            attachments.close();
        } finally {
            ClosedException cause = new ClosedException(name + " was closed while somebody waited");
            subscriptions.closeAll(cause);
            failAll(queues.clear(SignalSet.all()), cause);
        }
    }

    /** Each on its own, so that one that throws keeps no other from being told. */
    private void failAll(List<SignalWaiter> waiters, ClosedException cause) {
        waiters.forEach(waiter -> loop.execute(() -> waiter.fail(this, cause)));
    }

    SignalStats stats() {
        return new SignalStats(
                queues.arrived(),
                delivered,
                withoutSender,
                attachments.refused(),
                queues.dropped() + subscriptions.dropped(),
                queues.pending(),
                queues.waiting());
    }

    /** The name of its service. */
    @Override
    public String toString() {
        return "SignalService[" + loop.name() + ", " + attachments.claimed() + (isClosed ? ", closed]" : "]");
    }
}

package dev.carillon.signal;

import dev.carillon.ClosedException;
import dev.carillon.Signal;
import dev.carillon.SignalInfo;
import dev.carillon.SignalSet;
import dev.carillon.loop.EventLoop;
import dev.carillon.signal.forwarder.SignalSink;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Brings signals and waiters of one service together: records come in from a capture, waiters come in from anywhere.
 *
 * <p><b>Threading:</b> the loop's, but {@link #isClosed}, {@link #close}, {@link #stats} and {@link #newSubscription}.
 */
final class SignalDelivery extends WaitPlace implements SignalSink {
    private final SignalQueues queues;
    private final UnclaimedGuard unclaimed;
    private final Listeners listeners = new Listeners();
    private final Admission admission;
    private final Subscriptions subscriptions;
    private volatile boolean isClosed;

    // Statistics, written by the loop and read by anybody.
    private long delivered;
    private long withoutSender;

    /** What knows which signals the service has. */
    interface Admission {
        /** Why these cannot be waited for; null if they can. It may attach them first. */
        @Nullable
        RuntimeException refusal(SignalSet signals);

        /** A wait for these begins. */
        void onWait(SignalSet signals);

        /** Whether the service has a signal. */
        boolean has(Signal signal);

        /** Whether the service gets copies of a signal, which belongs to another one. */
        boolean borrows(Signal signal);

        /** A signal came here that another service has taken over by now. */
        void passOn(SignalInfo info);

        /** A signal came, and was given to who waits for it here. */
        void onArrived(SignalInfo info);

        /** A signal came when the service had it, which has given it up by now; who was to get it did not use it. */
        void onUnused(Signal signal);
    }

    /**
     * Of a service that is open.
     *
     * @param queues where its records and waiters are
     * @param newQueues makes those of a subscription
     */
    SignalDelivery(
            EventLoop loop,
            SignalQueues queues,
            Supplier<SignalQueues> newQueues,
            UnclaimedGuard unclaimed,
            Admission admission) {
        super(loop);
        this.queues = queues;
        this.unclaimed = unclaimed;
        this.admission = admission;
        subscriptions = new Subscriptions(this, queues, listeners, newQueues);
    }

    boolean isClosed() {
        return isClosed;
    }

    /** What comes from now on is dropped. */
    void close() {
        isClosed = true;
    }

    /** As {@link #arrived}, for one that no kernel has brought: after the close nobody gets it. */
    void injected(SignalInfo info) {
        if (!isClosed) {
            arrived(info, loop().nanoTime(), loop());
        }
    }

    @Override
    public void arrived(SignalInfo info, long now, Executor turn) {
        if (isClosed) {
            admission.onUnused(info.signal());
            return;
        }
        if (admission.borrows(info.signal())) {
            admission.passOn(info);
            return;
        }
        if (subscriptions.want(info)) {
            arrivedForAll(queues.shared(info, now, false), turn);
        } else {
            SignalWaiter taker = queues.arrive(info, now);
            if (taker == null) {
                unclaimed.onPending(info.signal());
            } else {
                callSoon(taker, turn);
            }
        }
        admission.onArrived(info);
    }

    /** A copy of what another service has: those get it who wait for it now; it is kept for who listens between two waits. */
    // r[impl signal.lend]
    void arrivedAsCopy(SignalInfo info) {
        if (isClosed) {
            return;
        }
        if (subscriptions.want(info)) {
            arrivedForAll(queues.shared(info, loop().nanoTime(), true), loop());
            return;
        }
        long now = loop().nanoTime();
        SignalWaiter taker = listeners.has(info.signal()) ? queues.arriveLent(info, now) : queues.offerLent(info, now);
        if (taker != null) {
            callSoon(taker, loop());
        }
    }

    /** Whether somebody waits for a signal here, listens to it between two waits, or subscribes to it. */
    boolean isWanted(Signal signal) {
        return queues.isWaitedFor(signal) || listeners.has(signal) || subscriptions.want(SignalInfo.of(signal));
    }

    /** One more listens to these, also between two waits. */
    void onClaim(SignalSet signals) {
        listeners.begin(signals);
        unclaimed.onClaim(signals);
    }

    /** One listens to these no more. */
    void onClaimEnd(SignalSet signals, boolean isFulfilled) {
        listeners.end(signals);
        for (Signal signal : listeners.without(signals)) {
            if (admission.borrows(signal) || subscriptions.want(SignalInfo.of(signal))) {
                giveUpKept(signal);
            }
        }
        unclaimed.onClaimEnd(signals, isFulfilled);
    }

    /** The service itself keeps nothing of a signal that it borrows, or that has subscriptions: it was for who listened. */
    private void giveUpKept(Signal signal) {
        List<SignalRecord> kept = new ArrayList<>();
        SignalRecord record;
        while ((record = queues.poll(signal)) != null) {
            kept.add(record);
        }
        kept.forEach(this::takeBack);
    }

    /** What is pending of a signal, which leaves this service. */
    List<SignalInfo> takePending(Signal signal) {
        List<SignalInfo> pending = new ArrayList<>();
        SignalRecord record;
        while ((record = queues.poll(signal)) != null) {
            pending.add(record.info());
        }
        return pending;
    }

    /** Each subscription gets it, and so does the oldest waiter; it is kept only for who listens between two waits. */
    private void arrivedForAll(SignalRecord record, Executor turn) {
        subscriptions.arrived(record, turn);
        SignalWaiter taker = queues.offer(record);
        if (taker != null) {
            record.onHanded();
            callSoon(taker, turn);
        } else if (listeners.has(record.info().signal()) && queues.keep(record)) {
            record.onHanded();
        }
    }

    @Override
    public void arrivedLate(Signal signal) {
        admission.onUnused(signal);
    }

    @Override
    public void arrivedWithoutSender(Signal signal, long now) {
        withoutSender++;
        arrived(SignalInfo.of(signal), now, loop());
    }

    @Override
    public int room(Signal signal, Runnable whenRoom) {
        return Math.min(queues.room(signal, whenRoom), subscriptions.room(signal, whenRoom));
    }

    @Override
    boolean enter(SignalWaiter waiter) {
        SignalSet signals = waiter.signals();
        RuntimeException refusal = admission.refusal(signals);
        if (refusal != null) {
            fail(waiter, refusal);
            return false;
        }
        admission.onWait(signals);
        unclaimed.onWanted(signals);
        return queues.enter(waiter);
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
        SignalEvents.delivered(record, loop());
    }

    // r[impl signal.stats]
    @Override
    void notKept() {
        delivered--;
    }

    @Override
    void takeBack(SignalRecord record) {
        Signal signal = record.info().signal();
        SignalRecord.Copies copies = record.copies();
        if (copies != null && !copies.giveUp()) {
            // Others have it.
            return;
        }
        if (isClosed || !(admission.has(signal) || admission.borrows(signal))) {
            admission.onUnused(signal);
            return;
        }
        if (subscriptions.want(record.info())) {
            subscriptions.arrived(record.alone().shared(), loop());
            return;
        }
        // Of a copy nothing is kept, unless somebody listens: the owner of the signal has it.
        boolean isKept = admission.has(signal) || listeners.has(signal);
        SignalWaiter taker = isKept ? queues.giveBack(record.alone()) : queues.offer(record.alone());
        if (taker != null) {
            callSoon(taker, loop());
        } else {
            unclaimed.onPending(signal);
        }
    }

    /** Takes the oldest pending record; null if there is none. */
    @Nullable
    SignalInfo poll(Signal signal) {
        SignalRecord record = queues.poll(signal);
        if (record == null) {
            return null;
        }
        delivered(record, SignalSet.of(signal));
        return record.info();
    }

    /** A subscription that opens when the loop comes to it. Any thread. */
    Subscriptions.Subscription newSubscription(SignalSet signals) {
        Subscriptions.Subscription subscription = subscriptions.newSubscription(signals);
        subscription.onLoop(() -> {
            if (subscription.isNew()) {
                subscription.open(admission.refusal(signals));
            }
        });
        return subscription;
    }

    /** These signals were released: waits for one of them fail, what is pending is dropped. */
    void fail(SignalSet released, ClosedException cause) {
        subscriptions.release(released, cause);
        failAll(queues.clear(released), cause);
    }

    /** The service has ended. */
    void failAll(ClosedException cause) {
        subscriptions.closeAll(cause);
        failAll(queues.clear(SignalSet.all()), cause);
    }

    /** Each in a task of its own, so that one that throws keeps no other from its end. */
    private void failAll(List<SignalWaiter> waiters, ClosedException cause) {
        waiters.forEach(waiter -> loop().execute(() -> fail(waiter, cause)));
    }

    /** What it has done so far, with what the capture refused. Any thread. */
    SignalStats stats(long refused) {
        return new SignalStats(
                queues.arrived(),
                delivered,
                withoutSender,
                refused,
                queues.dropped() + subscriptions.dropped(),
                queues.pending(),
                queues.waiting());
    }
}

package dev.carillon.signal;

import dev.carillon.ClosedException;
import dev.carillon.Signal;
import dev.carillon.SignalInfo;
import dev.carillon.SignalSet;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The open subscriptions of a service. <b>Threading:</b> the loop's, but {@link #dropped}. */
// r[impl signal.broadcast]
final class Subscriptions {
    private final WaitPlace service;
    private final SignalQueues kept;
    private final Listeners listeners;
    private final Supplier<SignalQueues> newQueues;
    private final List<Subscription> open = new ArrayList<>();

    /** Those that an open subscription has. */
    private long wanted;

    private long dropped;

    /**
     * None yet.
     *
     * @param service gets what a subscription leaves over
     * @param kept what the service keeps, for the first subscription
     * @param listeners those for whom it is kept, if there are any
     */
    Subscriptions(WaitPlace service, SignalQueues kept, Listeners listeners, Supplier<SignalQueues> newQueues) {
        this.service = service;
        this.kept = kept;
        this.listeners = listeners;
        this.newQueues = newQueues;
    }

    /** One that is not open yet. Any thread. */
    Subscription newSubscription(SignalSet signals) {
        return new Subscription(signals);
    }

    /** How many records found no room. Any thread. */
    long dropped() {
        return dropped;
    }

    /** How many more records the fullest of them has room for; if none, the action is run when there is some. */
    // r[impl signal.backpressure]
    int room(Signal signal, Runnable whenRoom) {
        int room = Integer.MAX_VALUE;
        for (Subscription subscription : open) {
            if (subscription.signals.contains(signal)) {
                room = Math.min(room, subscription.queues.room(signal, whenRoom));
            }
        }
        return room;
    }

    boolean want(SignalInfo info) {
        return (wanted & SignalSet.of(info.signal()).toBits()) != 0;
    }

    /** Gives a new record to all subscriptions that want it. */
    void arrived(SignalRecord record, Executor turn) {
        for (Subscription subscription : open) {
            if (subscription.signals.contains(record.info().signal())) {
                subscription.arrived(record, turn);
            }
        }
    }

    void release(SignalSet signals, ClosedException cause) {
        open.forEach(subscription -> subscription.fail(signals, cause));
    }

    void closeAll(ClosedException cause) {
        List.copyOf(open).forEach(subscription -> subscription.close(cause));
    }

    private void add(Subscription subscription) {
        open.add(subscription);
        wanted |= subscription.signals.toBits();
        SignalRecord unread;
        SignalSet unclaimed = listeners.without(subscription.signals);
        while ((unread = kept.pollOldest(unclaimed)) != null) {
            arrived(unread.shared(), service.loop());
        }
    }

    private void remove(Subscription subscription) {
        open.remove(subscription);
        wanted = 0;
        open.forEach(left -> wanted |= left.signals.toBits());
    }

    /**
     * One of them, with a queue of its own that gets a copy of each record.
     *
     * <p>States: NEW -> OPEN (the loop has come to it) -> ENDED; or NEW -> ENDED, where it could not be opened.
     */
    final class Subscription extends WaitPlace {
        private final SignalSet signals;
        private final SignalQueues queues = newQueues.get();
        private boolean isOpen;
        private @Nullable RuntimeException end;

        private Subscription(SignalSet signals) {
            super(service.loop());
            this.signals = signals;
        }

        /** What it was made for. Any thread. */
        SignalSet signals() {
            return signals;
        }

        /** Opens it; it also gets what is pending at the service. */
        void open(@Nullable RuntimeException refusal) {
            end = refusal;
            if (refusal == null) {
                isOpen = true;
                add(this);
            }
        }

        boolean isNew() {
            return end == null && !isOpen;
        }

        /** A record came; dropped if there is no room for it. */
        private void arrived(SignalRecord record, Executor turn) {
            record.onHanded();
            SignalWaiter taker = queues.offer(record);
            if (taker != null) {
                callSoon(taker, turn);
            } else if (!queues.tryKeep(record)) {
                dropped++;
                record.onDropped();
            }
        }

        @Override
        boolean enter(SignalWaiter waiter) {
            RuntimeException failure = end;
            if (failure != null) {
                fail(waiter, failure);
                return false;
            }
            return queues.enter(waiter);
        }

        @Override
        void leave(SignalWaiter waiter) {
            queues.leave(waiter);
        }

        @Override
        void delivered(SignalRecord record, SignalSet wantedByWaiter) {
            service.delivered(record, wantedByWaiter);
        }

        @Override
        void notKept() {
            service.notKept();
        }

        @Override
        void takeBack(SignalRecord record) {
            if (end != null) {
                giveToService(record);
                return;
            }
            SignalWaiter taker = queues.giveBack(record);
            if (taker != null) {
                callSoon(taker, loop());
            }
        }

        /** What only this subscription had is there for others again. */
        private void giveToService(SignalRecord record) {
            SignalRecord.Copies copies = record.copies();
            if (copies != null && copies.giveUp()) {
                service.takeBack(record.alone());
            }
        }

        /** Ends it; waits fail with the cause. */
        void close(ClosedException cause) {
            if (end != null) {
                return;
            }
            end = cause;
            if (isOpen) {
                remove(this);
            }
            SignalRecord unread;
            while ((unread = queues.pollOldest(signals)) != null) {
                giveToService(unread);
            }
            fail(SignalSet.all(), cause);
        }

        /** These signals were given back to the process. */
        private void fail(SignalSet released, ClosedException cause) {
            List<SignalWaiter> waiters = queues.clear(released);
            waiters.forEach(waiter -> loop().execute(() -> fail(waiter, cause)));
        }
    }
}

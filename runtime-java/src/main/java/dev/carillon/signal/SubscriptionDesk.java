package dev.carillon.signal;

import dev.carillon.ClosedException;
import dev.carillon.Signal;
import dev.carillon.SignalSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The part of a subscription that lives on the loop: a queue of its own, with a copy of each record.
 *
 * <p>States: NEW -> OPEN (the loop has come to it) -> ENDED; or NEW -> ENDED, where it could not be opened.
 *
 * <p><b>Threading:</b> the loop's.
 */
// r[impl signal.broadcast]
final class SubscriptionDesk extends WaitPlace {
    private final SignalDesk desk;
    private final SignalSet signals;
    private final SignalQueues queues;
    private boolean isOpen;
    private @Nullable RuntimeException end;

    SubscriptionDesk(SignalDesk desk, SignalSet signals) {
        super(desk.loop());
        this.desk = desk;
        this.signals = signals;
        queues = desk.newQueues();
    }

    SignalSet signals() {
        return signals;
    }

    void open() {
        if (end != null) {
            return;
        }
        end = desk.refusal(signals);
        if (end == null) {
            isOpen = true;
            desk.subscriptions().add(this);
        }
    }

    int room(Signal signal, Runnable whenRoom) {
        return queues.room(signal, whenRoom);
    }

    /** A record came; dropped if there is no room for it. */
    void arrived(SignalRecord record, @Nullable TurnEnd turn) {
        record.onHanded();
        SignalWaiter taker = queues.take(record);
        if (taker != null) {
            calls().soon(taker, turn);
        } else if (!queues.tryKeep(record)) {
            desk.subscriptions().onDropped();
            record.onDropped();
        }
    }

    @Override
    boolean enter(SignalWaiter waiter) {
        RuntimeException failure = end;
        if (failure != null) {
            waiter.fail(this, failure);
            return false;
        }
        return queues.enter(waiter);
    }

    @Override
    void leave(SignalWaiter waiter) {
        queues.leave(waiter);
    }

    @Override
    void delivered(SignalRecord record, SignalSet wanted) {
        desk.delivered(record, wanted);
    }

    @Override
    void notKept() {
        desk.notKept();
    }

    @Override
    void takeBack(SignalRecord record) {
        if (end != null) {
            giveUp(record);
            return;
        }
        SignalWaiter taker = queues.giveBack(record);
        if (taker != null) {
            calls().soon(taker);
        }
    }

    /** What only this subscription had is there for others again. */
    private void giveUp(SignalRecord record) {
        SignalRecord.Copies copies = record.copies();
        if (copies != null && copies.giveUp()) {
            desk.takeBack(record.alone());
        }
    }

    /** Ends it; who waits fails with the cause. */
    void close(ClosedException cause) {
        if (end != null) {
            return;
        }
        end = cause;
        if (isOpen) {
            desk.subscriptions().remove(this);
        }
        SignalRecord unread;
        while ((unread = queues.pollOldest(signals)) != null) {
            giveUp(unread);
        }
        fail(SignalSet.all(), cause);
    }

    /** These signals were given back to the process. */
    void fail(SignalSet released, ClosedException cause) {
        List<SignalWaiter> waiters = queues.clear(released);
        waiters.forEach(waiter -> loop().execute(() -> waiter.fail(this, cause)));
    }
}

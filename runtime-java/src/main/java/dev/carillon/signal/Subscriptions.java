package dev.carillon.signal;

import dev.carillon.ClosedException;
import dev.carillon.Signal;
import dev.carillon.SignalInfo;
import dev.carillon.SignalSet;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The open subscriptions of a service. <b>Threading:</b> the loop's. */
final class Subscriptions {
    private final List<SubscriptionDesk> open = new ArrayList<>();
    private final SignalQueues queues;

    /** Those that somebody subscribes to. */
    private long wanted;

    private long dropped;

    Subscriptions(SignalQueues queues) {
        this.queues = queues;
    }

    /** One of them had no room. */
    void onDropped() {
        dropped++;
    }

    /** How many records found no room. Any thread. */
    long dropped() {
        return dropped;
    }

    /** A new one; it also gets what nobody has waited for so far. */
    void add(SubscriptionDesk subscription) {
        open.add(subscription);
        wanted |= subscription.signals().toBits();
        SignalRecord kept;
        while ((kept = queues.pollOldest(subscription.signals())) != null) {
            arrived(kept.shared(), null);
        }
    }

    void remove(SubscriptionDesk subscription) {
        open.remove(subscription);
        wanted = 0;
        open.forEach(left -> wanted |= left.signals().toBits());
    }

    /** How many more records the fullest of them has room for; if none, the action is run when there is some. */
    // r[impl signal.backpressure]
    int room(Signal signal, Runnable whenRoom) {
        int room = Integer.MAX_VALUE;
        for (SubscriptionDesk subscription : open) {
            if (subscription.signals().contains(signal)) {
                room = Math.min(room, subscription.room(signal, whenRoom));
            }
        }
        return room;
    }

    boolean want(SignalInfo info) {
        return (wanted & SignalSet.of(info.signal()).toBits()) != 0;
    }

    /** Gives a new record to all who subscribe to it. */
    void arrived(SignalRecord record, @Nullable TurnEnd turn) {
        for (SubscriptionDesk subscription : open) {
            if (subscription.signals().contains(record.info().signal())) {
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
}

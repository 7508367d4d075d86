package dev.carillon.signal;

import dev.carillon.Signal;
import dev.carillon.SignalInfo;
import dev.carillon.SignalSet;
import dev.carillon.signal.forwarder.SignalLog;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Brings records and waiters together.
 *
 * <p>A signal has records pending only while there is no waiter for it, so a waiter that finds none has looked at all there
 * is.
 *
 * <p><b>Threading:</b> the loop's; the counters may be read by anybody.
 */
final class SignalQueues {
    private final WaiterQueue[] waiters = new WaiterQueue[Signal.LAST + 1];
    private final PendingQueue[] pending = new PendingQueue[Signal.LAST + 1];
    private long sequence;
    private int waiting;
    private int kept;
    private long dropped;

    SignalQueues(int standardBound, int realtimeBound) {
        for (Signal signal : SignalSet.all()) {
            waiters[signal.number()] = new WaiterQueue();
            boolean isRealtime = signal.isRealtime();
            pending[signal.number()] = new PendingQueue(isRealtime ? realtimeBound : standardBound, !isRealtime);
        }
    }

    /** Gives a new record to the oldest waiter of its signal, which is returned, or keeps it. */
    // r[impl signal.fifo]
    @Nullable
    SignalWaiter arrive(SignalInfo info, long now) {
        return arrive(new SignalRecord(info, sequence++, now));
    }

    /** As {@link #arrive(SignalInfo, long)}, of a signal that belongs to another service. */
    @Nullable
    SignalWaiter arriveLent(SignalInfo info, long now) {
        return arrive(new SignalRecord(info, sequence++, now).lent());
    }

    private @Nullable SignalWaiter arrive(SignalRecord record) {
        SignalWaiter taker = offer(record);
        if (taker == null) {
            keep(record);
        }
        return taker;
    }

    /** A new record that several places get. */
    SignalRecord shared(SignalInfo info, long now, boolean isLent) {
        SignalRecord record = new SignalRecord(info, sequence++, now);
        return (isLent ? record.lent() : record).shared();
    }

    /** A new record that only those get who wait for it now: the oldest waiter, which is returned, or nobody. */
    @Nullable
    SignalWaiter offerLent(SignalInfo info, long now) {
        return offer(new SignalRecord(info, sequence++, now).lent());
    }

    /** Keeps one that no waiter has taken; false if there is no room for it, which is counted. */
    boolean keep(SignalRecord record) {
        boolean isKept = tryKeep(record);
        if (!isKept) {
            dropped++;
        }
        return isKept;
    }

    /** As {@link #keep}, but does not count it. */
    boolean tryKeep(SignalRecord record) {
        if (!pending[record.number()].offer(record)) {
            warnOfDrop(record);
            return false;
        }
        kept++;
        return true;
    }

    /** Takes the pending record that came first, of these signals. */
    @Nullable
    SignalRecord pollOldest(SignalSet signals) {
        PendingQueue oldest = oldest(signals);
        SignalRecord record = oldest == null ? null : oldest.poll();
        if (record != null) {
            kept--;
        }
        return record;
    }

    private void warnOfDrop(SignalRecord record) {
        if (pending[record.number()].beginsToDrop()) {
            SignalLog.LOG.warn(
                    "{} comes faster than it is taken: {} are pending, and the newest are dropped until there is room "
                            + "(SignalStats.dropped counts them). Wait for it, release it, or keep more of them "
                            + "(SignalOptions.pendingStandard).",
                    record.info().signal(),
                    pending[record.number()].size());
        }
    }

    /** How many more records of a signal there is room for; if none, the action is run when there is some. */
    int room(Signal signal, Runnable whenRoom) {
        return pending[signal.number()].room(whenRoom);
    }

    /** Takes back a record whose waiter could not use it: it goes to the next one, which is returned, or is kept. */
    // r[impl signal.cancel]
    @Nullable
    SignalWaiter giveBack(SignalRecord record) {
        SignalWaiter taker = offer(record);
        if (taker == null) {
            pending[record.number()].insert(record);
            kept++;
        }
        return taker;
    }

    /** Gives a record to the oldest waiter of its signal, which is returned; null if there is none. */
    @Nullable
    SignalWaiter offer(SignalRecord record) {
        WaiterQueue queue = waiters[record.number()];
        SignalWaiter oldest;
        while ((oldest = queue.first()) != null) {
            leave(oldest);
            if (oldest.tryNotify(record)) {
                return oldest;
            }
        }
        return null;
    }

    /** Begins a wait: true if the waiter has got a record that was there already, false if it is in the queues now. */
    // r[impl signal.pending-first] r[impl signal.any]
    boolean enter(SignalWaiter waiter) {
        PendingQueue oldest = oldest(waiter.signals());
        SignalRecord record = oldest == null ? null : oldest.peek();
        if (oldest != null && record != null) {
            if (waiter.tryNotify(record)) {
                oldest.poll();
                kept--;
                return true;
            }
            return false;
        }
        for (var place = waiter.place(); place != null; place = place.other) {
            waiters[place.signal].add(place);
        }
        waiter.isQueued = true;
        waiting++;
        return false;
    }

    private @Nullable PendingQueue oldest(SignalSet signals) {
        PendingQueue oldest = null;
        long lowest = Long.MAX_VALUE;
        for (Signal signal : signals) {
            SignalRecord first = pending[signal.number()].peek();
            if (first != null && first.sequence() < lowest) {
                lowest = first.sequence();
                oldest = pending[signal.number()];
            }
        }
        return oldest;
    }

    /** Whether a waiter is in the queue of a signal. */
    boolean isWaitedFor(Signal signal) {
        return !waiters[signal.number()].isEmpty();
    }

    /** Takes a waiter out of all queues. */
    void leave(SignalWaiter waiter) {
        if (waiter.isQueued) {
            waiter.isQueued = false;
            waiting--;
            for (var place = waiter.place(); place != null; place = place.other) {
                place.leave();
            }
        }
    }

    /** Takes the oldest pending record. */
    @Nullable
    SignalRecord poll(Signal signal) {
        SignalRecord record = pending[signal.number()].poll();
        if (record != null) {
            kept--;
        }
        return record;
    }

    /** The oldest pending record, which stays. */
    @Nullable
    SignalRecord peek(Signal signal) {
        return pending[signal.number()].peek();
    }

    /** Drops what is pending of these signals, and returns the waiters for one of them, longest first. */
    List<SignalWaiter> clear(SignalSet signals) {
        List<SignalWaiter> left = new ArrayList<>();
        for (Signal signal : signals) {
            kept -= pending[signal.number()].clear();
            SignalWaiter waiter;
            while ((waiter = waiters[signal.number()].first()) != null) {
                leave(waiter);
                left.add(waiter);
            }
        }
        return left;
    }

    /** How many waiters are in the queues. */
    int waiting() {
        return waiting;
    }

    /** How many records are pending. */
    int pending() {
        return kept;
    }

    /** How many records arrived. */
    long arrived() {
        return sequence;
    }

    /** How many found no room. */
    long dropped() {
        return dropped;
    }
}

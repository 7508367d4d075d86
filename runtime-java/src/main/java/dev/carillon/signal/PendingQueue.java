package dev.carillon.signal;

import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/** The records of one signal for which there was no wait yet, oldest first. <b>Threading:</b> the loop's. */
final class PendingQueue {
    private final ArrayDeque<SignalRecord> records = new ArrayDeque<>();
    private final int bound;
    private final boolean isLossy;
    private boolean hasDropped;
    private @Nullable Runnable whenRoom;

    /**
     * A new one.
     *
     * @param isLossy whether what comes beyond the bound is dropped, as what is lent is in any case; else the reader has to ask
     *     for {@link #room} first
     */
    PendingQueue(int bound, boolean isLossy) {
        this.bound = bound;
        this.isLossy = isLossy;
    }

    /** Adds the newest; false if there is no room for it. */
    // r[impl signal.pending-bound]
    boolean offer(SignalRecord newest) {
        if ((isLossy || newest.isLent()) && records.size() >= bound) {
            return false;
        }
        records.addLast(newest);
        return true;
    }

    /** Whether the one that found no room just now is the first since half of them were taken. */
    boolean beginsToDrop() {
        boolean isFirst = !hasDropped;
        hasDropped = true;
        return isFirst;
    }

    /** How many more there is room for; if none, the action is run once when half of them have been taken. */
    // r[impl signal.backpressure]
    int room(Runnable action) {
        int room = Math.max(0, bound - records.size());
        if (room == 0) {
            whenRoom = action;
        }
        return room;
    }

    private void taken() {
        if (records.size() > bound / 2) {
            return;
        }
        hasDropped = false;
        Runnable action = whenRoom;
        if (action != null) {
            whenRoom = null;
            action.run();
        }
    }

    /** Puts one back to where its number belongs, whatever the bound. It is among the oldest as a rule. */
    void insert(SignalRecord returned) {
        Deque<SignalRecord> older = new ArrayDeque<>();
        SignalRecord first = records.peekFirst();
        while (first != null && first.sequence() < returned.sequence()) {
            older.push(records.removeFirst());
            first = records.peekFirst();
        }
        records.addFirst(returned);
        older.forEach(records::addFirst);
    }

    @Nullable
    SignalRecord peek() {
        return records.peekFirst();
    }

    @Nullable
    SignalRecord poll() {
        SignalRecord oldest = records.pollFirst();
        taken();
        return oldest;
    }

    int size() {
        return records.size();
    }

    /** Drops all; returns how many. */
    int clear() {
        int dropped = records.size();
        records.clear();
        taken();
        return dropped;
    }
}

package dev.carillon.signal;

import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/** The records of one signal that nobody has waited for yet, oldest first. <b>Threading:</b> the loop's. */
final class PendingQueue {
    private final ArrayDeque<SignalRecord> records = new ArrayDeque<>();
    private final int bound;

    PendingQueue(int bound) {
        this.bound = bound;
    }

    /** Adds the newest; false if there is no room for it. */
    // r[impl signal.pending-bound]
    boolean offer(SignalRecord newest) {
        if (records.size() >= bound) {
            return false;
        }
        records.addLast(newest);
        return true;
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
        return records.pollFirst();
    }

    int size() {
        return records.size();
    }

    /** Drops all; returns how many. */
    int clear() {
        int dropped = records.size();
        records.clear();
        return dropped;
    }
}

package dev.carillon.loop;

import dev.carillon.loop.LoopTimers.Insertion;
import dev.carillon.loop.queue.TimerHeap;
import dev.carillon.loop.queue.TimerNode;
import org.jspecify.annotations.Nullable;

/**
 * Timers of other threads for which the heap had no room, and no memory to grow. They are linked through the commands that
 * brought them, so adding one never fails. They run from here when they are due: a timer that was accepted needs no memory.
 *
 * <p><b>Threading:</b> the loop thread.
 */
// r[impl timer.accepted]
final class TimerOverflow {
    /** In the order in which they came. */
    private @Nullable Insertion first;

    private @Nullable Insertion last;

    /** Those that are due, by deadline; no longer in the list above. */
    private @Nullable Insertion due;

    /** No timer of the list is due before. */
    private long from = TimerHeap.NEVER;

    private int size;

    boolean isEmpty() {
        return size == 0;
    }

    /** How many there are, with some that were cancelled. */
    int size() {
        return size;
    }

    /** The earliest deadline, or an earlier one whose timer was cancelled. */
    long earliest() {
        return due == null ? from : Long.MIN_VALUE;
    }

    void add(Insertion insertion) {
        size++;
        append(insertion);
    }

    private void append(Insertion insertion) {
        insertion.next = null;
        Insertion before = last;
        if (before == null) {
            first = insertion;
        } else {
            before.next = insertion;
        }
        last = insertion;
        from = Math.min(from, insertion.timer.deadline());
    }

    /** The oldest that is not due; it stays. */
    @Nullable
    Insertion first() {
        return first;
    }

    /** Takes out the one that {@link #first} returns. */
    void removeFirst() {
        Insertion gone = first;
        if (gone != null) {
            size--;
            first = gone.next;
            if (first == null) {
                last = null;
                from = TimerHeap.NEVER;
            }
        }
    }

    /** Takes out the first one that is due, as fired, if its deadline is before another one. */
    @Nullable
    TimerNode pollDue(long now, long before) {
        if (from <= now) {
            collect(now);
        }
        Insertion next;
        while ((next = due) != null) {
            TimerNode timer = next.timer;
            // One that was set anew meanwhile is in the heap.
            boolean isCurrent = timer.isArmed() && timer.deadline() <= now;
            if (isCurrent && timer.deadline() >= before) {
                return null;
            }
            due = next.next;
            size--;
            if (isCurrent && timer.tryFire()) {
                return timer;
            }
        }
        return null;
    }

    /** Takes out any. */
    @Nullable
    TimerNode pollAny() {
        Insertion any = due;
        if (any != null) {
            due = any.next;
            size--;
            return any.timer;
        }
        any = first;
        removeFirst();
        return any == null ? null : any.timer;
    }

    /** Forgets those that were cancelled, and sorts those that are due. */
    void collect(long now) {
        Insertion next = first;
        first = null;
        last = null;
        from = TimerHeap.NEVER;
        Insertion ready = null;
        int count = 0;
        while (next != null) {
            Insertion insertion = next;
            next = insertion.next;
            if (!insertion.timer.isArmed()) {
                size--;
            } else if (insertion.timer.deadline() <= now) {
                insertion.next = ready;
                ready = insertion;
                count++;
            } else {
                append(insertion);
            }
        }
        if (ready != null) {
            due = merge(due, sort(reverse(ready), count));
        }
    }

    private static @Nullable Insertion reverse(@Nullable Insertion list) {
        Insertion reversed = null;
        Insertion next = list;
        while (next != null) {
            Insertion insertion = next;
            next = insertion.next;
            insertion.next = reversed;
            reversed = insertion;
        }
        return reversed;
    }

    /**
     * Sorts by deadline; those with equal deadlines keep their order. The recursion is as deep as the logarithm of the
     * count.
     */
    private static @Nullable Insertion sort(@Nullable Insertion list, int count) {
        if (list == null || count < 2) {
            return list;
        }
        int half = count / 2;
        Insertion end = list;
        for (int i = 1; i < half && end.next != null; i++) {
            end = end.next;
        }
        Insertion others = end.next;
        end.next = null;
        return merge(sort(list, half), sort(others, count - half));
    }

    private static @Nullable Insertion merge(@Nullable Insertion one, @Nullable Insertion other) {
        Insertion left = one;
        Insertion right = other;
        Insertion merged = null;
        Insertion end = null;
        while (left != null && right != null) {
            Insertion next;
            if (left.timer.deadline() <= right.timer.deadline()) {
                next = left;
                left = left.next;
            } else {
                next = right;
                right = right.next;
            }
            if (end == null) {
                merged = next;
            } else {
                end.next = next;
            }
            end = next;
        }
        Insertion rest = left == null ? right : left;
        if (end == null) {
            return rest;
        }
        end.next = rest;
        return merged;
    }
}

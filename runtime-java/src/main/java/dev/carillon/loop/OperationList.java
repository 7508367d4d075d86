package dev.carillon.loop;

import org.jspecify.annotations.Nullable;

/**
 * Operations that wait, first come first served; linked through themselves, so that adding one never fails.
 *
 * <p><b>Threading:</b> the loop thread.
 */
final class OperationList {
    private @Nullable Operation first;
    private @Nullable Operation last;

    boolean isEmpty() {
        return first == null;
    }

    /** Counts them, one by one. */
    int size() {
        int size = 0;
        for (Operation operation = first; operation != null; operation = operation.next) {
            size++;
        }
        return size;
    }

    @Nullable
    Operation first() {
        return first;
    }

    void add(Operation operation) {
        Operation before = last;
        operation.previous = before;
        operation.next = null;
        if (before == null) {
            first = operation;
        } else {
            before.next = operation;
        }
        last = operation;
    }

    /** Takes the first one out; null if there is none. */
    @Nullable
    Operation poll() {
        Operation operation = first;
        if (operation != null) {
            remove(operation);
        }
        return operation;
    }

    void remove(Operation operation) {
        Operation before = operation.previous;
        Operation after = operation.next;
        if (before == null) {
            first = after;
        } else {
            before.next = after;
        }
        if (after == null) {
            last = before;
        } else {
            after.previous = before;
        }
        operation.previous = null;
        operation.next = null;
    }
}

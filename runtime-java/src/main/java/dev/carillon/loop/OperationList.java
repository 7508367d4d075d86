package dev.carillon.loop;

import org.jspecify.annotations.Nullable;

/** Operations that wait, first come first served; linked through themselves. <b>Threading:</b> the loop thread. */
final class OperationList {
    private @Nullable Operation first;
    private @Nullable Operation last;

    boolean isEmpty() {
        return first == null;
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

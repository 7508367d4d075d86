package dev.carillon.io.epoll;

import dev.carillon.io.backend.Request;
import dev.carillon.io.backend.Target;

/** What tests of other rooms want to know of a slot. */
public final class SlotView {
    private SlotView() {}

    /** Whether the backend has spared the system call of a read that it knows to find nothing. */
    public static boolean isFutile(Target target, Request read) {
        return target.registration instanceof EpollSlot slot && slot.isFutile(read);
    }
}

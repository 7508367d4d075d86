package dev.carillon.loop;

import static dev.carillon.sys.layout.Constants.EPOLLET;
import static dev.carillon.sys.layout.Constants.EPOLLIN;
import static dev.carillon.sys.layout.Constants.EPOLLOUT;
import static dev.carillon.sys.layout.Constants.EPOLLRDHUP;

import dev.carillon.SyscallException;
import dev.carillon.sys.Errno;
import dev.carillon.sys.call.Epoll;
import dev.carillon.sys.call.Sys;

/**
 * For what epoll watches each descriptor: added when somebody has to wait, withdrawn late, edge-triggered.
 *
 * <p><b>Threading:</b> the loop thread.
 */
// r[impl io.edge-triggered]
final class EpollInterest {
    private static final int INPUT = EPOLLIN | EPOLLRDHUP;
    private static final int OUTPUT = EPOLLOUT;

    /** So many events in a row may find nobody before the interest is withdrawn: most descriptors are waited for again. */
    private static final int PATIENCE = 8;

    private final Epoll epoll;
    private final Sys sys;

    EpollInterest(Epoll epoll, Sys sys) {
        this.epoll = epoll;
        this.sys = sys;
    }

    /** Somebody waits on one side; false if epoll cannot tell, as the descriptor is of a kind that is always ready. */
    boolean await(EpollSlot slot, boolean input) {
        int side = input ? INPUT : OUTPUT;
        slot.unclaimed = 0;
        if (!slot.isAlwaysReady && ((slot.armed & side) != side || !slot.isKnown)) {
            arm(slot, slot.armed | side);
        }
        return !slot.isAlwaysReady;
    }

    /** Nobody waits on one side any more. */
    void withdraw(EpollSlot slot, boolean input) {
        int side = input ? INPUT : OUTPUT;
        if (slot.isKnown && (slot.armed & side) != 0) {
            arm(slot, slot.armed & ~side);
        }
    }

    /** An event came, and nobody waits on either side. */
    void unclaimed(EpollSlot slot) {
        if (++slot.unclaimed > PATIENCE && slot.armed != 0) {
            slot.unclaimed = 0;
            arm(slot, 0);
        }
    }

    private void arm(EpollSlot slot, int events) {
        if (slot.isKnown) {
            epoll.modify(slot.number(), events | EPOLLET, slot.data());
        } else {
            slot.isKnown = add(slot, events | EPOLLET);
            slot.isAlwaysReady = !slot.isKnown;
        }
        slot.armed = events;
    }

    private boolean add(EpollSlot slot, int events) {
        try {
            return epoll.add(slot.number(), events, slot.data());
        } catch (SyscallException failure) {
            Handle handle = slot.handle;
            if (failure.errno() != Errno.EEXIST || handle == null || !handle.isBorrowed()) {
                throw failure;
            }
            // Somebody else of this loop waits for the same number; a copy of it has a place of its own in epoll.
            slot.duplicate = sys.descriptors().duplicateFrom(slot.number, 0);
            slot.duplicateNumber = slot.duplicate.enter();
            return epoll.add(slot.number(), events, slot.data());
        }
    }

    /** The descriptor is about to be closed, or was only borrowed. */
    void forget(EpollSlot slot) {
        if (slot.isKnown) {
            slot.isKnown = false;
            epoll.remove(slot.number());
        }
        if (slot.duplicate != null) {
            slot.duplicate.close();
            slot.duplicate.leave();
            slot.duplicate = null;
        }
    }
}

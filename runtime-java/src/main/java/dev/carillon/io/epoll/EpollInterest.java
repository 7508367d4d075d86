package dev.carillon.io.epoll;

import static dev.carillon.sys.layout.Constants.EPOLLET;
import static dev.carillon.sys.layout.Constants.EPOLLIN;
import static dev.carillon.sys.layout.Constants.EPOLLOUT;
import static dev.carillon.sys.layout.Constants.EPOLLPRI;
import static dev.carillon.sys.layout.Constants.EPOLLRDHUP;

import dev.carillon.SyscallException;
import dev.carillon.io.backend.Target;
import dev.carillon.loop.access.PolledLoop;
import dev.carillon.sys.Failure;
import dev.carillon.sys.call.Epoll;
import dev.carillon.sys.call.Sys;

/**
 * Keeps the events for which epoll watches each descriptor. It adds them when an operation has to wait, and withdraws them
 * late. All are edge-triggered.
 *
 * <p><b>Threading:</b> the loop thread.
 */
// r[impl io.edge-triggered]
final class EpollInterest {
    private static final int INPUT = EPOLLIN | EPOLLPRI | EPOLLRDHUP;
    private static final int OUTPUT = EPOLLOUT;

    /**
     * So many events in a row may find no waiter before the interest is withdrawn, since most descriptors get a waiter
     * again.
     */
    private static final int PATIENCE = 8;

    private final PolledLoop loop;
    private final Epoll epoll;
    private final Sys sys;

    EpollInterest(PolledLoop loop, Epoll epoll, Sys sys) {
        this.loop = loop;
        this.epoll = epoll;
        this.sys = sys;
    }

    /**
     * An operation waits on one side. False if epoll cannot watch, since the descriptor is of a kind that is always ready.
     */
    boolean await(EpollSlot slot, boolean input) {
        int side = input ? INPUT : OUTPUT;
        slot.unclaimed = 0;
        if (!slot.isAlwaysReady && ((slot.armed & side) != side || !slot.isKnown)) {
            arm(slot, slot.armed | side);
        }
        return !slot.isAlwaysReady;
    }

    /** No operation waits on one side any more. */
    void withdraw(EpollSlot slot, boolean input) {
        int side = input ? INPUT : OUTPUT;
        if (slot.isKnown && (slot.armed & side) != 0) {
            narrow(slot, slot.armed & ~side);
        }
    }

    /** An event came, and no operation waits on either side. */
    void unclaimed(EpollSlot slot) {
        if (++slot.unclaimed > PATIENCE && slot.armed != 0) {
            slot.unclaimed = 0;
            narrow(slot, 0);
        }
    }

    /** No operation waits for the rest. So if other code has closed the number, this reports it and the loop goes on. */
    private void narrow(EpollSlot slot, int events) {
        try {
            arm(slot, events);
        } catch (SyscallException failure) {
            report(slot, failure);
        }
    }

    private void report(EpollSlot slot, SyscallException failure) {
        Target target = slot.target;
        loop.report(Failure.about(
                failure,
                target == null ? "fd=" + slot.number() : target.toString(),
                "its number was closed by somebody else; leave that to close() of the handle, or a stranger gets the"
                        + " number"));
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

    /**
     * Adds a descriptor to epoll; a number that is not ours by way of a copy. Its owner may close it before the loop has
     * seen a cancel or a close of another thread, and the kernel may give the number to the next descriptor that is opened.
     * To remove the number from epoll would then end the watching of a stranger. Besides, several operations may wait for
     * one number, and each copy has a place of its own in epoll.
     */
    private boolean add(EpollSlot slot, int events) {
        Target target = slot.target;
        if (slot.duplicate == null && (target == null || target.kind.isTransient())) {
            slot.duplicate = sys.descriptors().duplicateFrom(slot.number, 0);
            slot.duplicateNumber = slot.duplicate.acquire();
        }
        return epoll.add(slot.number(), events, slot.data());
    }

    /** Forgets a descriptor that is about to be closed, or was only borrowed. */
    void forget(EpollSlot slot) {
        if (slot.isKnown) {
            slot.isKnown = false;
            remove(slot);
        }
        closeCopy(slot);
    }

    private void remove(EpollSlot slot) {
        try {
            epoll.remove(slot.number());
        } catch (SyscallException closedBefore) {
            report(slot, closedBefore);
        }
    }

    /** Closes the copy, if there is one; also at the end of the loop, where watches may be left. */
    void closeCopy(EpollSlot slot) {
        if (slot.duplicate != null) {
            slot.duplicate.close();
            slot.duplicate.release();
            slot.duplicate = null;
        }
    }
}

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
 * For what epoll watches each descriptor: added when somebody has to wait, withdrawn late, edge-triggered.
 *
 * <p><b>Threading:</b> the loop thread.
 */
// r[impl io.edge-triggered]
final class EpollInterest {
    private static final int INPUT = EPOLLIN | EPOLLPRI | EPOLLRDHUP;
    private static final int OUTPUT = EPOLLOUT;

    /** So many events in a row may find nobody before the interest is withdrawn: most descriptors are waited for again. */
    private static final int PATIENCE = 8;

    private final PolledLoop loop;
    private final Epoll epoll;
    private final Sys sys;

    EpollInterest(PolledLoop loop, Epoll epoll, Sys sys) {
        this.loop = loop;
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
            narrow(slot, slot.armed & ~side);
        }
    }

    /** An event came, and nobody waits on either side. */
    void unclaimed(EpollSlot slot) {
        if (++slot.unclaimed > PATIENCE && slot.armed != 0) {
            slot.unclaimed = 0;
            narrow(slot, 0);
        }
    }

    /** Nobody waits for the rest: that a number was closed behind our back is reported, and the loop goes on. */
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
     * A number that is not ours is watched through a copy. Its owner may close it before the loop has seen that nobody
     * waits any more (a cancel or a close on another thread), and the kernel gives it to the next descriptor that is
     * opened: to remove the number from epoll would then end the watching of a stranger. Besides, several may wait for
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

    /** The descriptor is about to be closed, or was only borrowed. */
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

    /** Also at the end of the loop, where watches may be left. */
    void closeCopy(EpollSlot slot) {
        if (slot.duplicate != null) {
            slot.duplicate.close();
            slot.duplicate.release();
            slot.duplicate = null;
        }
    }
}

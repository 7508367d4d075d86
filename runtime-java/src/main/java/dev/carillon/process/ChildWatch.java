package dev.carillon.process;

import dev.carillon.ClosedException;
import dev.carillon.ExitStatus;
import dev.carillon.SyscallException;
import dev.carillon.loop.EventLoop;
import dev.carillon.loop.LoopService;
import dev.carillon.sys.call.Sys;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.BooleanSupplier;

/**
 * Takes the end of one child, once, and has {@link ProcessEnd} tell it.
 *
 * <p>States: WATCHED (its pidfd is on a loop), LOOKED_FOR (it has no pidfd, or the loop could not watch that: a timer of
 * the loop looks for its end and tries to watch it), both by {@link Lookout} -> ENDED (the end is taken, the pidfd closed). If the loop ends first,
 * the watch moves to the shared loop. If that has ended, too, or its thread sits in a callback, since the VM exits, the
 * child is LEFT: {@link ChildPoller} looks for its end.
 *
 * <p><b>Threading:</b> any thread, under this object's lock; callbacks are called without it.
 */
final class ChildWatch implements LoopService {
    private final ChildReference child;
    private final ProcessEnd exit;
    private final Lookout lookout;

    /** Made early: where it is needed there may be no memory for it. */
    private final BooleanSupplier lastLook = this::lookLast;

    private boolean ended;
    private boolean left;

    /** Made before the child is, so that behind the spawn there is little left that can fail. */
    ChildWatch(Sys sys, EventLoop loop, ProcessEnd exit) {
        child = new ChildReference(sys);
        this.exit = exit;
        lookout = new Lookout(this, loop, child::open, this::look);
    }

    /**
     * The child was started. If this fails, it is ended: the caller would never learn of it.
     *
     * <p>The pid cannot mean another process yet: only we can take its end, unless SIGCHLD is ignored here.
     */
    synchronized void begin(int pid) {
        child.isProcess(pid);
        boolean begun = false;
        try {
            beginOnOneOf(lookout.loop());
            begun = true;
        } finally {
            if (!begun) {
                ended = true;
                lookout.stop();
                child.endNow();
            }
        }
    }

    /** Where both loops refuse, the VM exits. */
    private void beginOnOneOf(EventLoop first) {
        try {
            lookout.begin(first);
        } catch (RejectedExecutionException ends) {
            try {
                lookout.begin(EventLoop.shared());
            } catch (RejectedExecutionException exits) {
                leave();
            }
        }
    }

    /** Leaves the child to no loop, but to the poller. */
    private void leave() {
        lookout.stop();
        ChildPoller.take(lastLook);
        left = true;
    }

    /** Takes the end if it is there. */
    // r[impl process.exit] r[impl process.java]
    private void look() {
        try {
            synchronized (this) {
                if (ended || !takeEnd()) {
                    return;
                }
                ended = true;
                lookout.end();
                child.close();
            }
        } finally {
            // Whatever there was no memory for: the kernel tells the end only once.
            exit.callBack();
        }
    }

    private boolean takeEnd() {
        try {
            ExitStatus status = child.reap();
            if (status == null) {
                return false;
            }
            exit.settle(status, null);
        } catch (SyscallException lost) {
            exit.settle(null, unknown(child.pid(), lost));
        } catch (OutOfMemoryError full) {
            exit.settle(null, full); // the end is taken, and the kernel tells it only once
        }
        return true;
    }

    private static IllegalStateException unknown(int pid, Throwable cause) {
        return new IllegalStateException(
                "the end of child " + pid + " was taken by somebody else: do not ignore SIGCHLD in this process, and"
                        + " wait for no children but one's own",
                cause);
    }

    /** Looks for its end when no loop does any more; whether it has come. */
    private boolean lookLast() {
        look();
        synchronized (this) {
            return ended;
        }
    }

    @Override
    public void onLoopEnd() {
        // It may have ended just now, and then no other loop has to watch it.
        look();
        synchronized (this) {
            if (ended || left || moves()) {
                return;
            }
        }
        exit.callBack();
    }

    /** The loop may never come to its end: its thread may be what called exit. */
    @Override
    public synchronized void onExit() {
        if (!ended && !left) {
            leave();
        }
    }

    /** To the shared loop, or to the poller; false if neither takes it, which is the answer then. */
    // r[impl process.loop-end]
    private boolean moves() {
        lookout.stop();
        ClosedException unwatched = new ClosedException("the loop ended before child " + child.pid()
                + ", and no other one watches it; it lives, and can be sent signals");
        EventLoop before = lookout.loop();
        try {
            EventLoop shared = EventLoop.shared();
            if (before != shared) {
                lookout.begin(shared);
                return true;
            }
        } catch (RuntimeException | Error exits) {
            unwatched.addSuppressed(exits);
        }
        try {
            leave();
            return true;
        } catch (RuntimeException | Error noThread) {
            unwatched.addSuppressed(noThread);
            left = true;
            exit.settle(null, unwatched);
            return false;
        }
    }

    synchronized int pid() {
        return child.pid();
    }

    /** Whether its end was seen; where a loop sees it no more, or not soon, the kernel is asked. */
    synchronized boolean hasEnded() {
        return ended || ((left || lookout.loop().isStopping()) && child.isOver());
    }

    /** Sends a signal; false if it has ended. */
    synchronized boolean send(int signal) {
        return canBeSent() && child.send(signal);
    }

    /** Sends a signal with a value; false if it has ended. */
    synchronized boolean queue(int signal, int value) {
        return canBeSent() && child.queue(signal, value);
    }

    /** Under the lock its end is not taken, so its pid stays its own; and the calls do not block. */
    private boolean canBeSent() {
        return !ended && !(left && child.isOver());
    }
}

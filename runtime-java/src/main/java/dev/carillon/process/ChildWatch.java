package dev.carillon.process;

import dev.carillon.ClosedException;
import dev.carillon.ExitStatus;
import dev.carillon.Signal;
import dev.carillon.SyscallException;
import dev.carillon.loop.EventLoop;
import dev.carillon.loop.LoopService;
import dev.carillon.loop.access.LoopAccess;
import dev.carillon.sys.call.Sys;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Takes the end of one child, once, and has {@link ProcessEnd} tell it.
 *
 * <p>States: WATCHED (its pidfd is on a loop), LOOKED_FOR (it has no pidfd, or the loop could not watch that: a timer of
 * the loop looks for its end and tries to watch it), both by {@link Lookout} -> ENDED (the end is taken, the pidfd closed). If the loop ends first,
 * the watch moves to the shared loop. If that has ended, too, or its thread sits in a callback, since the VM exits, the
 * child is LEFT: {@link ChildPoller} looks for its end.
 *
 * <p>The number of a group is safe as long as its leader's end was not taken. So the end of a leader that is held is told but
 * not taken, until it is let go.
 *
 * <p><b>Threading:</b> any thread, under this object's lock; callbacks are called without it.
 */
final class ChildWatch implements LoopService {
    private final ChildReference child;
    private final ProcessEnd exit;
    private final Lookout lookout;

    /** Made early: where it is needed there may be no memory for it. */
    private final BooleanSupplier lastLook = this::lookLast;

    private final BooleanSupplier groupLook = this::lookAtGroup;

    private final Leads leads;
    private final @Nullable Duration graceAtLoopEnd;
    private final ChildEnding ending = new ChildEnding(this);

    /** Of the process, and not of a loop: the VM may exit while nobody runs that, or while its thread is ending it. */
    private final Runnable exitTask = this::endWithLoop;

    private boolean ended;
    private boolean left;
    private int holds;
    private boolean groupClosed;
    private boolean isGroupLookedAt;
    private boolean isEnding;
    private boolean holdsForEnding;

    /** What a child is the first process of. */
    enum Leads {
        NOTHING,
        GROUP,
        SESSION
    }

    /** Made before the child is, so that behind the spawn there is little left that can fail. */
    ChildWatch(Sys sys, EventLoop loop, ProcessEnd exit, Leads leads, @Nullable Duration graceAtLoopEnd) {
        child = new ChildReference(sys);
        this.exit = exit;
        this.leads = leads;
        this.graceAtLoopEnd = graceAtLoopEnd;
        lookout = new Lookout(this, loop, child::open, this::look);
    }

    /**
     * The child was started. If this fails, it is ended: the caller would never learn of it.
     *
     * <p>The pid cannot mean another process yet: only we can take its end, unless SIGCHLD is ignored here.
     */
    void begin(int pid) {
        if (!beginsOnItsLoop(pid)) {
            endWithLoop();
        }
    }

    /** False if that loop has ended meanwhile, and another one watches. */
    private synchronized boolean beginsOnItsLoop(int pid) {
        EventLoop first = lookout.loop();
        child.isProcess(pid);
        boolean begun = false;
        try {
            endAtExit();
            beginOnOneOf(first);
            begun = true;
            return lookout.loop() == first;
        } finally {
            if (!begun) {
                ended = true;
                lookout.stop();
                endNotAtExit();
                child.endNow();
            }
        }
    }

    private void endAtExit() {
        if (graceAtLoopEnd != null) {
            LoopAccess.of(lookout.loop()).addExitTask(exitTask);
        }
    }

    private void endNotAtExit() {
        if (graceAtLoopEnd != null) {
            LoopAccess.of(lookout.loop()).removeExitTask(exitTask);
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
        ChildPoller.CHILDREN.take(lastLook);
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
                endNotAtExit();
                letGo();
            }
        } finally {
            // Whatever there was no memory for: the kernel tells the end only once.
            exit.callBack();
        }
    }

    private boolean takeEnd() {
        try {
            ExitStatus status = holds > 0 ? child.look() : child.reap();
            if (status == null) {
                return false;
            }
            exit.settle(status, null);
        } catch (SyscallException lost) {
            child.isTaken();
            exit.settle(null, unknown(child.pid(), lost));
        } catch (OutOfMemoryError full) {
            if (holds == 0) {
                child.isTaken();
            }
            exit.settle(null, full); // the end is taken, and the kernel tells it only once
        }
        return true;
    }

    /** The end of a child that is gone is taken, unless it is held. Its pidfd stays while it names a group that goes on. */
    private void letGo() {
        if (ended && holds == 0) {
            child.forget();
            if (goesOnWithoutLeader()) {
                lookAfterGroup();
            } else {
                closeDescriptor();
            }
        }
    }

    // r[impl process.group-descriptor]
    private void lookAfterGroup() {
        if (isGroupLookedAt) {
            return;
        }
        try {
            ChildPoller.GROUPS.take(groupLook);
            isGroupLookedAt = true;
        } catch (OutOfMemoryError noThread) {
            return; // a later signal to the group that finds it empty closes the pidfd, and so does the close of the
            // child
        }
    }

    /** Whether its group needs no more looks. */
    private synchronized boolean lookAtGroup() {
        letGo();
        return !child.isOpen();
    }

    private void closeDescriptor() {
        child.close();
        if (isGroupLookedAt) {
            ChildPoller.GROUPS.lookSoon();
        }
    }

    private boolean goesOnWithoutLeader() {
        return leads != Leads.NOTHING && (isEnding || !groupClosed) && child.reachesGroup();
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
        endWithLoop();
        synchronized (this) {
            if (ended || left || moves()) {
                return;
            }
        }
        exit.callBack();
    }

    // r[impl process.with-loop]
    private void endWithLoop() {
        if (graceAtLoopEnd == null || hasEnded()) {
            return;
        }
        boolean begun = false;
        try {
            var unused = end(graceAtLoopEnd);
            begun = true;
        } finally {
            if (!begun) {
                sendToAll(Signal.SIGKILL); // there is no thread that could wait for the grace
            }
        }
    }

    /** The loop may never come to its end: its thread may be what called exit. */
    @Override
    public void onExit() {
        synchronized (this) {
            if (!ended && !left) {
                leave();
            }
        }
        endWithLoop();
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

    boolean leads(Leads what) {
        return leads == what;
    }

    /** Sends a signal to the group that it leads; false if nobody is there, or it cannot be told from another one. */
    synchronized boolean sendToGroup(int signal) {
        boolean sent = child.sendToGroup(signal);
        if (!sent && ended && holds == 0) {
            closeDescriptor();
        }
        return sent;
    }

    /**
     * Sends a signal to the group that it leads, and to itself if it leads none or has left that. Nobody gets a SIGTERM twice,
     * which many a program takes for impatience.
     */
    synchronized void sendToAll(Signal signal) {
        try {
            if (leads != Leads.NOTHING) {
                sendToGroup(signal.number());
            }
        } finally {
            if (leads == Leads.NOTHING || signal.equals(Signal.SIGKILL) || (!ended && child.hasLeftGroup())) {
                send(signal.number());
            }
        }
    }

    /** Whether it goes on, or somebody else of the group that it leads. */
    synchronized boolean goesOn() {
        return !ended || (leads != Leads.NOTHING && (holds > 0 || child.reachesGroup()));
    }

    /** Nobody sends signals to its group any more. */
    synchronized void closeGroup() {
        groupClosed = true;
        letGo();
    }

    /** Keeps the number of the group that it leads its own, until the release; false if its end was told already. */
    synchronized boolean hold() {
        if (ended) {
            return false;
        }
        holds++;
        return true;
    }

    synchronized void release() {
        holds--;
        letGo();
    }

    /** The group that it leads is to be reached until {@link #finishEnding}: by the pidfd, else by its number. */
    synchronized void beginEnding() {
        isEnding = true;
        holdsForEnding = leads != Leads.NOTHING && !child.tellsOfGroup() && hold();
    }

    /** With its group killed nobody is there to be reached, though zombies may be for a while. */
    synchronized void finishEnding(boolean isKilled) {
        isEnding = false;
        groupClosed |= isKilled;
        if (holdsForEnding) {
            holdsForEnding = false;
            holds--;
        }
        letGo();
    }

    /** Has it end, and the group that it leads: SIGTERM, and after the grace SIGKILL. */
    CompletableFuture<ExitStatus> end(Duration grace) {
        CompletableFuture<?> over = ending.begin(grace);
        CompletableFuture<ExitStatus> told = exit.stage(Objects::requireNonNull);
        return leads == Leads.NOTHING ? told : exit.after(told, over);
    }
}

package dev.carillon.loop;

import dev.carillon.loop.access.LoopCommand;
import dev.carillon.loop.access.Poller;
import dev.carillon.loop.queue.MpscQueue;
import dev.carillon.loop.queue.ParkState;
import dev.carillon.loop.queue.ShortMemory;
import dev.carillon.sys.StackRoom;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The way into a loop for other threads: a queue, and the waking of a loop that is parked.
 *
 * <p>Each poster has made sure of room on its stack before, see {@link StackRoom}: between the claim of a place and the
 * write that wakes the loop nothing may fail.
 *
 * <p><b>Threading:</b> any thread but the loop's.
 *
 * <p><b>Order:</b> first the queue, then the park state; see {@link ParkState}.
 */
// r[impl loop.wakeup]
final class Inbox {
    /** The backlog of a loop without a bound. */
    static final int UNBOUNDED = Integer.MAX_VALUE;

    private final MpscQueue<Object> queue;
    private final ParkState park;
    private final LoopThread thread;
    private final LoopState state;
    private final UnrunLoop unrun;

    /** With so many items in the queue, a task or an operation is refused. */
    private final int backlog;

    private final Poller poller;

    private final AtomicLong written = new AtomicLong();

    Inbox(MpscQueue<Object> queue, ParkState park, LoopThread thread, LoopState state, int backlog, Poller poller) {
        this.queue = queue;
        this.park = park;
        this.thread = thread;
        this.state = state;
        this.backlog = backlog;
        this.poller = poller;
        unrun = new UnrunLoop(thread);
    }

    /** Posts a task or an operation; false when the loop is stopping, or too many wait. */
    // r[impl loop.backlog]
    boolean post(Object item) {
        if (backlog != UNBOUNDED && queue.backlog() >= backlog) {
            return false;
        }
        boolean accepted = queue.offer(item);
        if (accepted) {
            wakeIfParked();
            unrun.posted();
        }
        return accepted;
    }

    /** Runs or posts a command that must happen as long as the loop lives; false when the loop has ended. */
    boolean command(LoopCommand command) {
        if (thread.runsHere() && !thread.isEnded()) {
            command.onLoop();
            return true;
        }
        boolean accepted = queue.offerAlways(command);
        if (accepted) {
            wakeIfParked();
        }
        return accepted;
    }

    /** As {@link #post}, but without a bound; the caller wakes the loop where needed. */
    boolean postQuietly(LoopCommand command) {
        boolean accepted = queue.offer(command);
        if (accepted) {
            unrun.posted();
        }
        return accepted;
    }

    /** How many items wait. */
    long backlog() {
        return queue.backlog();
    }

    /** Why {@link #post} did not take it. */
    RejectedExecutionException refused() {
        if (state.isStopping() || state.isEnding()) {
            return state.refused();
        }
        return new RejectedExecutionException(
                thread + " has " + queue.backlog() + " tasks and operations that wait, and" + " backlog=" + backlog
                        + "; post again when some are done, or post less");
    }

    /** From now on the loop refuses other threads. */
    // r[impl loop.stop]
    void requestStop() {
        StackRoom.ensure();
        state.stop();
        queue.stop();
        command(LoopCommand.NOTHING);
    }

    /** Stops the loop without draining it, and keeps it from blocking again. */
    void endNow() {
        state.hurry();
        requestStop();
    }

    void wakeIfParked() {
        if (park.mustWrite()) {
            boolean isWritten = false;
            written.incrementAndGet();
            try {
                wake();
                isWritten = true;
            } finally {
                if (!isWritten) {
                    park.notWritten();
                }
            }
        }
    }

    /** No other thread writes for this park. So where memory is short for the call, this thread makes it again. */
    private void wake() {
        while (true) {
            try {
                poller.wake();
                return;
            } catch (OutOfMemoryError memoryIsShort) {
                ShortMemory.pause();
            }
        }
    }

    long wakeupsWritten() {
        return written.get();
    }

    long wakeupsElided() {
        return Math.max(0, queue.claimed() - written.get());
    }
}

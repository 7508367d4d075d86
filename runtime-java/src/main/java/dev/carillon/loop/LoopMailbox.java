package dev.carillon.loop;

import dev.carillon.loop.queue.MpscQueue;
import dev.carillon.loop.queue.ParkState;
import dev.carillon.loop.queue.ShortMemory;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The way into a loop for other threads: a queue, and the waking of a loop that is parked.
 *
 * <p>Each poster has looked for room on its stack before, see {@link dev.carillon.sys.StackRoom}: between the claim of a
 * place and the write that wakes the loop nothing may fail.
 *
 * <p><b>Threading:</b> any thread but the loop's.
 *
 * <p><b>Order:</b> first the queue, then the park state; see {@link ParkState}.
 */
// r[impl loop.wakeup]
final class LoopMailbox {
    private final PollingLoop loop;
    private final MpscQueue<Object> queue;
    private final ParkState park;
    private final UnrunLoop unrun;

    /** How many places of the queue may be taken when a task or an operation comes. */
    private final int backlog;

    private final AtomicLong written = new AtomicLong();

    LoopMailbox(PollingLoop loop, MpscQueue<Object> queue, ParkState park, int backlog) {
        this.loop = loop;
        this.queue = queue;
        this.park = park;
        this.backlog = backlog;
        unrun = new UnrunLoop(loop);
    }

    /** A task or an operation; false when the loop is stopping, or too many wait. */
    // r[impl loop.backlog]
    boolean post(Object item) {
        if (backlog != EventLoopOptions.UNBOUNDED && queue.backlog() >= backlog) {
            return false;
        }
        boolean accepted = queue.offer(item);
        if (accepted) {
            wakeIfParked();
            unrun.posted();
        }
        return accepted;
    }

    /** What must be done as long as the loop lives; false when it has ended. */
    boolean postAlways(LoopCommand command) {
        boolean accepted = queue.offerAlways(command);
        if (accepted) {
            wakeIfParked();
        }
        return accepted;
    }

    /** A timer, which wakes the loop only if that would miss it otherwise; false when the loop is stopping. */
    boolean postTimer(LoopTimers.Insertion insertion, long deadline) {
        boolean accepted = queue.offer(insertion);
        if (accepted && loop.timers().mustWake(deadline, queue.backlog())) {
            wakeIfParked();
        }
        if (accepted) {
            unrun.posted();
        }
        return accepted;
    }

    /** Other threads are refused from now on. */
    void stop() {
        queue.stop();
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

    /** Nobody else will write for this park: where memory is short for the call, it is made again. */
    private void wake() {
        while (true) {
            try {
                loop.io().wake();
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

package dev.carillon.loop.queue;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * A timer of a loop, with its place in the {@link TimerHeap}; {@link #run} is called when it is due.
 *
 * <p><b>Threading:</b> {@link #tryCancel} and the questions: any thread; the rest: the heap's thread, or the maker of the
 * node until it hands the node over.
 */
public abstract class TimerNode implements Runnable {
    private static final int IDLE = 0;
    private static final int ARMED = 1;
    private static final int FIRED = 2;
    private static final int CANCELLED = 3;
    private static final VarHandle STATE = Fields.of(MethodHandles.lookup(), TimerNode.class, "state", int.class);

    /** IDLE -> ARMED (arm) -> FIRED (the heap) or CANCELLED (any thread, also from FIRED); these two -> ARMED (arm again). */
    @SuppressWarnings("unused") // through STATE
    private volatile int state = IDLE;

    /** When it is due; changes only while it is not armed. */
    private long deadline;

    /** Decides between equal deadlines, and distinguishes the valid entry from older ones. The heap assigns it. */
    long sequence;

    /** Not armed. */
    protected TimerNode() {}

    /** Sets when it is due. A node that is armed must be cancelled first. */
    public final void arm(long deadlineNanos) {
        if ((int) STATE.getAcquire(this) == ARMED) {
            throw new IllegalStateException("state=armed: cancel a timer before it is set anew");
        }
        deadline = deadlineNanos;
        STATE.setRelease(this, ARMED);
    }

    /** Cancels the timer; false if it was not armed any more. The caller then calls {@link TimerHeap#cancelled}. */
    public final boolean tryCancel() {
        return STATE.compareAndSet(this, ARMED, CANCELLED);
    }

    /** Ends the wait, since the time has come; false if the timer was cancelled before. */
    public final boolean tryFire() {
        return STATE.compareAndSet(this, ARMED, FIRED);
    }

    /** Sets a node that has fired for another time; false if it was cancelled, or armed, since then. */
    public final boolean tryArmAgain(long deadlineNanos) {
        if (!hasFired()) {
            return false;
        }
        deadline = deadlineNanos;
        return STATE.compareAndSet(this, FIRED, ARMED);
    }

    /** Cancels a node that has fired, so that it is not armed again; false if it is in another state. */
    public final boolean tryCancelFired() {
        return STATE.compareAndSet(this, FIRED, CANCELLED);
    }

    /** Whether its time has come, and it was neither cancelled nor armed since then. */
    public final boolean hasFired() {
        return (int) STATE.getAcquire(this) == FIRED;
    }

    /** When it is due. */
    public final long deadline() {
        return deadline;
    }

    /** Whether it is set, and neither ran out nor was cancelled. */
    public final boolean isArmed() {
        return (int) STATE.getAcquire(this) == ARMED;
    }

    /** Its time has come. On the loop thread. */
    @Override
    public abstract void run();

    /** The loop ends before it is due. On the loop thread. */
    public void onLoopEnd() {}

    /** Whether it was cancelled. */
    public final boolean isCancelled() {
        return (int) STATE.getAcquire(this) == CANCELLED;
    }
}

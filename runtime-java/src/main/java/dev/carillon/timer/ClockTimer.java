package dev.carillon.timer;

/** A timer on another clock than the loop's, see {@link WallClockTimers} and {@link SuspendAwareTimers}. */
public interface ClockTimer {
    /**
     * Cancels the timer.
     *
     * <p><b>Threading:</b> any thread. After a call on the loop thread, or one that returns true, the callback does not run.
     *
     * @return false if it ran, runs or was cancelled already
     */
    boolean cancel();

    /** Whether it still waits for its time. Any thread. */
    boolean isPending();

    /** Whether it was cancelled, also by the close of its timers or the end of their loop. Any thread. */
    boolean isCancelled();
}

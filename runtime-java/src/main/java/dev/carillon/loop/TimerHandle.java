package dev.carillon.loop;

/** A timer of a loop, see {@link EventLoop#schedule}. */
public interface TimerHandle {
    /**
     * Cancels the timer.
     *
     * <p><b>Threading:</b> any thread. After a call on the loop thread, or one that returns true, the callback does not run.
     *
     * <p><b>Memory:</b> the handle keeps its task, for {@link #rescheduleAt}. The loop lets go of both soon: of the timers that were
     * cancelled it holds as many as wait in it at most, or 128 where these are fewer.
     *
     * @return false if it ran, runs or was cancelled already
     */
    boolean cancel();

    /** Whether it still waits for its time. Any thread. */
    boolean isPending();

    /** Whether it was cancelled, also by the end of its loop. Any thread. */
    boolean isCancelled();

    /**
     * Sets the timer anew, whether it waits, ran or was cancelled. Allocates nothing.
     *
     * <p><b>Threading:</b> the loop thread.
     *
     * @param deadlineNanos on the loop's clock, {@link EventLoop#nanoTime}
     * @throws IllegalStateException on another thread
     * @throws java.util.concurrent.RejectedExecutionException when the loop ends
     */
    void rescheduleAt(long deadlineNanos);
}

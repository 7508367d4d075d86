package dev.carillon.loop;

/**
 * A timer that ticks until it is cancelled, see {@link EventLoop#scheduleRepeating}.
 *
 * <p>It is pending as long as it ticks, also while its callback runs.
 */
public interface RepeatingTimer extends TimerHandle {
    /**
     * Ends the ticks.
     *
     * <p><b>Threading:</b> any thread, also the callback itself. After a call that returns true no callback begins; one that
     * runs at that moment on the loop thread comes to its end.
     *
     * @return false if it was cancelled already, also by the end of its loop
     */
    @Override
    boolean cancel();

    /**
     * Has it tick next at another time, and from there on by its period; also if it was cancelled. Allocates nothing.
     *
     * <p><b>Threading:</b> the loop thread, also the callback itself.
     */
    @Override
    void rescheduleAt(long deadlineNanos);

    /**
     * How many ticks were missed at the time of the callback that runs, or ran last: with SKIP those that were dropped since
     * the callback before it, with CATCH_UP those that are still to come at once, with DELAY always 0.
     *
     * <p><b>Threading:</b> the loop thread.
     */
    long missed();

    /**
     * When the next tick is due, on the loop's clock, {@link EventLoop#nanoTime}; within a callback, when the tick was due that
     * it is called for. Long.MAX_VALUE never comes. Any thread.
     */
    long nextTick();
}

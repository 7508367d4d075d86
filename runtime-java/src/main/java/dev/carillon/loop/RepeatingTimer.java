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
     * Has it tick next at another time, and from there on by its period; also if it was cancelled. The grid of SKIP and
     * CATCH_UP begins anew at that time, and no tick of the old grid comes any more. Allocates nothing.
     *
     * <p><b>Threading:</b> the loop thread, also the callback itself.
     *
     * @param deadlineNanos on the loop's clock; one in the past is now, and no tick was missed then
     */
    @Override
    void rescheduleAt(long deadlineNanos);

    /**
     * How many ticks were missed when the callback began that runs, or ran last.
     *
     * <ul>
     *   <li>SKIP: those that were dropped since the callback before it. The sum over all callbacks counts each of them once
     *   <li>CATCH_UP: those that were due by then and come at once, behind this one. Each callback counts them anew, so a sum
     *       counts a tick several times; none is lost, so the number of callbacks is the number of ticks
     *   <li>DELAY: always 0
     * </ul>
     *
     * <p><b>Threading:</b> the loop thread.
     */
    long missed();

    /**
     * When the tick was due that the callback is called for, or was called for last, on the loop's clock; before the first
     * tick, when that is due. So {@link EventLoop#nanoTime} minus this is how late the callback is.
     *
     * <p><b>Threading:</b> the loop thread.
     */
    long thisTick();

    /**
     * When the next tick is due, on the loop's clock, {@link EventLoop#nanoTime}. Long.MAX_VALUE never comes.
     *
     * <p>While the callback runs, it is the answer as if the callback ended now: with SKIP the next one on the grid that is
     * not past, with CATCH_UP the next one on the grid, though it is past, and with DELAY a period from now. For a timer that
     * was cancelled, it tells nothing.
     *
     * <p><b>Threading:</b> any thread.
     */
    long nextTick();
}

package dev.carillon.loop;

/**
 * What a repeating timer does about ticks that came due while its callback, or anything else on the loop, took too long.
 *
 * <p>With a period of 10 that begins at 10, and a callback that runs at 10 and takes 25:
 *
 * <ul>
 *   <li>SKIP ticks next at 40, and has dropped two ticks
 *   <li>CATCH_UP ticks at 35 twice, for 20 and 30, and next at 40
 *   <li>DELAY ticks next at 45, and then at 55 and so on
 * </ul>
 */
public enum MissedTicks {
    /** The ticks that were missed are dropped; the next one is on the grid of first tick and period. */
    SKIP,

    /**
     * The ticks that were missed come at once, one after another, until the timer is back on the grid. Between two of them
     * other timers that are due, tasks and descriptors have their turn. A callback that always takes longer than its period
     * keeps the loop busy for ever.
     */
    CATCH_UP,

    /** No grid: the period begins when the callback has come back. */
    DELAY
}

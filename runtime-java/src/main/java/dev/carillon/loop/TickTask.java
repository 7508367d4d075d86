package dev.carillon.loop;

/**
 * What a repeating timer calls, see {@link EventLoop#scheduleRepeating}.
 *
 * <p><b>Threading:</b> called on the loop thread.
 */
@FunctionalInterface
public interface TickTask {
    /**
     * A tick. What this throws goes to the error handler of the loop, and the timer goes on.
     *
     * @param timer the one that ticks, which this may cancel
     */
    void onTick(RepeatingTimer timer);

    /** The loop ends while the timer still ticks; called once at most. The loop accepts nothing any more, not even from here. */
    default void onLoopEnd() {}
}

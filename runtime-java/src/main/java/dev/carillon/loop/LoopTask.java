package dev.carillon.loop;

/**
 * A task for {@link EventLoop#schedule} and {@link EventLoop#scheduleAt} that learns when it will never run, since its loop
 * ends before it is due.
 *
 * <p><b>Threading:</b> the loop calls one of the two methods at most, once, on its thread.
 */
public interface LoopTask extends Runnable {
    /** The loop ends first. It accepts nothing any more, not even from here. */
    void onLoopEnd();
}

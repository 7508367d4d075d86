package dev.carillon.loop;

/**
 * A task for {@link EventLoop#schedule} and {@link EventLoop#scheduleAt} that wants to know when it will never run, since
 * its loop ends before it is due.
 *
 * <p><b>Threading:</b> called on the loop thread; of the two methods, at most one is called, once.
 */
public interface LoopTask extends Runnable {
    /** The loop ends first. It takes nothing new any more, not even from here. */
    void onLoopEnd();
}

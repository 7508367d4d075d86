package dev.carillon.loop;

/**
 * Something that lives on a loop and must be closed before it ends, see {@link EventLoop#register}.
 *
 * <p><b>Threading:</b> called on the loop thread; if nobody runs the loop when it is closed, on the closer's.
 */
@FunctionalInterface
public interface LoopService {
    /** The loop is about to end: its queues, timers and descriptors still work. Called once. */
    void onLoopEnd();
}

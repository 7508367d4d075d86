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

    /**
     * The VM exits, and the loop has not ended by itself: its thread may sit in a callback that never returns, such as the
     * one that called {@code System.exit}, so {@link #onLoopEnd} may never come. It may come later, too.
     *
     * <p>For what has to be known in a shutdown hook. By itself it does nothing.
     *
     * <p><b>Threading:</b> called on the thread of the hook that stops all loops, also while a callback runs on the loop.
     */
    default void onExit() {}
}

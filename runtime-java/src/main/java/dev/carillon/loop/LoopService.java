package dev.carillon.loop;

/**
 * Lives on a loop, which closes it before the loop ends, see {@link EventLoop#register}.
 *
 * <p><b>Threading:</b> called on the loop thread; if no thread runs the loop when it is closed, on the closer's.
 */
@FunctionalInterface
public interface LoopService {
    /** The loop is about to end: its queues, timers and descriptors still work. Called once. */
    void onLoopEnd();

    /**
     * The VM exits, and the loop has not ended by itself: its thread may sit in a callback that never returns, such as the
     * one that called {@code System.exit}, so {@link #onLoopEnd} may never come. It may come later, too.
     *
     * <p>A service implements this to act in the shutdown hook. The default does nothing.
     *
     * <p><b>Threading:</b> called on the thread of the hook that stops all loops, also while a callback runs on the loop.
     */
    default void onExit() {}
}

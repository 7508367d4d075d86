package dev.carillon.loop;

/**
 * Watches a descriptor until the watch is closed, see {@link EventLoop#watch}.
 *
 * <p><b>Threading:</b> any thread. After a close on the loop thread the loop does not call the callback any more. After a
 * close on another thread it may, until it has seen the close.
 */
public interface Watch extends AutoCloseable {
    /** Ends the watching; the descriptor stays open. */
    @Override
    void close();

    /**
     * Has the loop call the callback once more in the next iteration, as if the descriptor had changed. A callback that did
     * not finish calls this, since no second change announces what it has left. It needs no memory. After a close it does
     * nothing.
     *
     * <p><b>Threading:</b> the loop thread.
     */
    default void again() {
        throw new UnsupportedOperationException(this + " is no watch of a loop, which alone can call again");
    }
}

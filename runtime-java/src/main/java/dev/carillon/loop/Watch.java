package dev.carillon.loop;

/**
 * The watching of a descriptor that goes on until it is closed, see {@link EventLoop#watch}.
 *
 * <p><b>Threading:</b> any thread. After a close on the loop thread the callback is not called any more; after one on
 * another thread it may be called until the loop has seen it.
 */
public interface Watch extends AutoCloseable {
    /** Ends the watching; the descriptor stays open. */
    @Override
    void close();

    /**
     * Has the callback called once more in the next iteration, as if the descriptor had changed: for a callback that did
     * not come to its end, since no second change tells of what it has left. It needs no memory. After a close it does
     * nothing.
     *
     * <p><b>Threading:</b> the loop thread.
     */
    default void again() {
        throw new UnsupportedOperationException(this + " is no watch of a loop, which alone can call again");
    }
}

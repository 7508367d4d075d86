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
}

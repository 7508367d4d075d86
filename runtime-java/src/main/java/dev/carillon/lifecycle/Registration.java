package dev.carillon.lifecycle;

/** Something that was registered with a {@link Lifecycle}. <b>Threading:</b> any thread. */
public interface Registration extends AutoCloseable {
    /** Takes it back, and nothing else that was registered; a second call does nothing. */
    @Override
    void close();
}

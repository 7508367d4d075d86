package dev.carillon.loop;

/** Keeps loops running while the VM exits, see {@link EventLoop#holdExit}. <b>Threading:</b> any thread. */
public interface ExitHold extends AutoCloseable {
    /** Ends the hold. */
    @Override
    void close();
}

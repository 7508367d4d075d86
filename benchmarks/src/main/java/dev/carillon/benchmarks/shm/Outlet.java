package dev.carillon.benchmarks.shm;

import java.io.IOException;

/** The end where messages are sent, in the worker. */
interface Outlet extends AutoCloseable {
    /** What the other process needs to open its end; one word. */
    String address();

    /**
     * Sends messages that are numbered from {@code first} on, and returns when all are visible.
     *
     * @param patience is asked before each look for room that was not there
     */
    void send(long first, int count, Patience patience) throws Exception;

    @Override
    void close() throws IOException;
}

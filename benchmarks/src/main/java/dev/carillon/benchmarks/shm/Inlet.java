package dev.carillon.benchmarks.shm;

import java.io.IOException;

/** The end where messages are received, in the other process. */
interface Inlet extends AutoCloseable {
    /** Takes what is there, at most so many messages, and returns how many there were; it need not wait for one. */
    int receive(int most, Tally tally) throws Exception;

    @Override
    void close() throws IOException;
}

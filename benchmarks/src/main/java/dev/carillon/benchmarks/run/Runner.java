package dev.carillon.benchmarks.run;

import dev.carillon.benchmarks.model.Placement;

/** One variant's process, or the processes it starts one after the other. */
interface Runner extends AutoCloseable {
    /** Says where the threads of the following rounds are kept; ends works that are open elsewhere. */
    void place(Placement placement) throws RunFailure;

    /**
     * Does one round and returns its numbers.
     *
     * @throws Skipped if this host can't do the work
     * @throws RunFailure if it went wrong
     */
    double[] round(String work, long ops) throws Skipped, RunFailure;

    /** Releases what the work holds. */
    void finish(String work) throws RunFailure;

    @Override
    void close();
}

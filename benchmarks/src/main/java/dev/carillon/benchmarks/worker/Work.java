package dev.carillon.benchmarks.worker;

/**
 * One piece of work, repeated.
 *
 * <p><b>Threading</b>: all calls come from the worker's main thread.
 */
@FunctionalInterface
public interface Work extends AutoCloseable {
    /**
     * Does the work a number of times and says how long it took.
     *
     * @throws Exception if it fails: the variant is reported as failed
     */
    void round(long ops, Figures figures) throws Exception;

    @Override
    default void close() {}
}

package dev.carillon.benchmarks.timers;

/**
 * Timers of one maker; a process has one kind only.
 *
 * @param <T> what a timer is to its owner
 */
interface Clockwork<T> extends AutoCloseable {
    /** Runs something on the thread from which this maker's timers are set; the caller waits for it. */
    void run(Runnable body) throws Exception;

    /** Sets a timer, on that thread. */
    T set(long delayNanos, Runnable task);

    /** Takes it back, on that thread. */
    void cancel(T timer);

    @Override
    void close();
}

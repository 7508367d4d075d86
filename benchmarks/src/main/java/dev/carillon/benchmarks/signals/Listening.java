package dev.carillon.benchmarks.signals;

/** Somebody's way to hear SIGURG, which does nothing to a process that does not listen. */
@FunctionalInterface
public interface Listening extends AutoCloseable {
    /** Starts to listen. */
    @FunctionalInterface
    interface Maker {
        /**
         * Returns when signals are heard.
         *
         * @param heard called for each signal, on whatever thread it comes to
         */
        Listening start(Runnable heard) throws Exception;
    }

    @Override
    void close();
}

package dev.carillon.loop.access;

/** Takes what callbacks throw. <b>Threading:</b> any thread. */
@FunctionalInterface
public interface ErrorSink {
    /** Gives an error to the loop's error handler, and to the log what the handler throws; never throws. */
    void report(Throwable thrown);
}

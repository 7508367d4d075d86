package dev.carillon.benchmarks.run;

/** A variant went wrong: its process died, answered with an error, or not in time. */
final class RunFailure extends Exception {
    private static final long serialVersionUID = 1L;

    RunFailure(String message) {
        super(message);
    }

    RunFailure(String message, Throwable cause) {
        super(message, cause);
    }
}

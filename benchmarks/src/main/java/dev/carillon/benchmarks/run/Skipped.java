package dev.carillon.benchmarks.run;

/** A variant can't be measured on this host; nothing is broken. */
final class Skipped extends Exception {
    private static final long serialVersionUID = 1L;

    Skipped(String reason) {
        super(reason);
    }
}

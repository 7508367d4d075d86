package dev.carillon.benchmarks.worker;

import java.util.Map;

/** All works that one worker can do. Has a public constructor without arguments, which does nothing costly. */
public interface Workload {
    /** Returns how each work is opened, by name. */
    Map<String, Opener> works();

    /** Opens a work, on the thread that will run it. */
    @FunctionalInterface
    interface Opener {
        /**
         * Opens the work; called once for each placement, before its first round.
         *
         * @throws UnsupportedOperationException if this host can't do it: the variant is left out, with the message
         * @throws Exception if it fails
         */
        Work open(Stage stage) throws Exception;
    }
}

package dev.carillon.lifecycle;

import dev.carillon.Signal;
import java.util.Map;

/** What a lifecycle does with a signal. */
enum Meaning {
    /** A shutdown. */
    SHUTDOWN,

    /** A shutdown; the second one ends the process at once. */
    DOUBLE_TAP,

    /** A new configuration, if somebody validates it. */
    RELOAD,

    /** The end, without a shutdown. */
    IMMEDIATE,

    // r[impl life.pipe]
    /** What its handlers do, and nothing else. */
    HANDLERS;

    private static final int BY_SIGNAL = 128;

    private static final Map<Signal, Meaning> OF_SIGNALS = Map.of(
            Signal.SIGTERM, SHUTDOWN,
            Signal.SIGINT, DOUBLE_TAP,
            Signal.SIGHUP, RELOAD,
            Signal.SIGQUIT, IMMEDIATE,
            Signal.SIGALRM, IMMEDIATE);

    static Meaning of(Signal signal) {
        return OF_SIGNALS.getOrDefault(signal, HANDLERS);
    }

    static int exitCode(Signal signal) {
        return BY_SIGNAL + signal.number();
    }
}

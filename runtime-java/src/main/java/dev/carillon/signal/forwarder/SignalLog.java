package dev.carillon.signal.forwarder;

import dev.carillon.loop.log.Log;

/** The messages about signals, in a class of its own: finding a logging library takes time, and most services never log. */
public final class SignalLog {
    /** All of them, under the name of the class that users know. */
    public static final Log LOG = Log.of("dev.carillon.signal.SignalService");

    private SignalLog() {}
}

package dev.carillon.signal;

import dev.carillon.loop.log.Log;

/** The room's messages, in a class of its own: finding a logging library takes time, and most services never log. */
final class SignalLog {
    static final Log LOG = Log.of(SignalService.class);

    private SignalLog() {}
}

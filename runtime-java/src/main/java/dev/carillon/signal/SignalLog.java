package dev.carillon.signal;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The room's logger, in a class of its own: finding a logging library takes time, and most services never log. */
final class SignalLog {
    static final Logger LOG = LoggerFactory.getLogger(SignalService.class);

    private SignalLog() {}
}

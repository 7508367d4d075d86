package dev.carillon.loop;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The room's logger, in a class of its own: finding a logging library takes time, and most loops never log. */
final class LoopLog {
    static final Logger LOG = LoggerFactory.getLogger(EventLoop.class);

    private LoopLog() {}
}

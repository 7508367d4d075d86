package dev.carillon.signal;

import dev.carillon.loop.EventLoop;
import dev.carillon.sys.call.Sys;

/** The service of the whole process, made on first use. */
final class SharedSignals {
    static final SignalService SERVICE =
            new SignalService(EventLoop.shared(), SignalOptions.defaults(), Sys::get, true);

    private SharedSignals() {}
}

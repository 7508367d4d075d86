package dev.carillon.signal;

import dev.carillon.loop.EventLoop;
import dev.carillon.sys.call.Sys;
import java.util.concurrent.ConcurrentHashMap;

/** The services that loops make for themselves, on first use; each lives as long as its loop. Any thread. */
final class ImplicitSignals {
    private static final ConcurrentHashMap<EventLoop, SignalService> OF_LOOPS = new ConcurrentHashMap<>();

    private ImplicitSignals() {}

    static SignalService of(EventLoop loop) {
        SignalService known = OF_LOOPS.get(loop);
        return known != null ? known : OF_LOOPS.computeIfAbsent(loop, ImplicitSignals::make);
    }

    private static SignalService make(EventLoop loop) {
        SignalService service = new SignalService(loop, SignalOptions.defaults(), Sys::get, true);
        loop.register(() -> OF_LOOPS.remove(loop));
        return service;
    }
}

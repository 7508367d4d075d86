package dev.carillon.admin;

import dev.carillon.Signal;
import dev.carillon.SignalSet;
import dev.carillon.lifecycle.SignalDispatcher;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/** Takes down what is dispatched. */
class DispatchRecorder implements SignalDispatcher {
    final BlockingQueue<Signal> signals = new LinkedBlockingQueue<>();
    final BlockingQueue<String> origins = new LinkedBlockingQueue<>();
    volatile SignalSet handled = SignalSet.of(Signal.SIGTERM, Signal.SIGINT, Signal.SIGHUP);

    @Override
    public boolean handles(Signal signal) {
        return handled.contains(signal);
    }

    @Override
    public void dispatch(Signal signal, String origin) {
        origins.add(origin);
        signals.add(signal);
    }
}

package dev.carillon.lifecycle;

import dev.carillon.Signal;
import dev.carillon.SignalInfo;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/** The handlers of signals, in the order in which they were registered. <b>Threading:</b> any thread. */
// r[impl life.register]
final class Handlers {
    private final Map<Signal, List<Entry>> ofSignals = new ConcurrentHashMap<>();
    private final LifecycleLog log;

    /** One registration: the same handler may be registered twice, and each is taken back by itself. */
    private static final class Entry {
        private final SignalHandler handler;

        private Entry(SignalHandler handler) {
            this.handler = handler;
        }
    }

    Handlers(LifecycleLog log) {
        this.log = log;
    }

    /** Adds one; the result takes it back. */
    Registration add(Signal signal, SignalHandler handler) {
        Entry entry = new Entry(handler);
        ofSignals
                .computeIfAbsent(signal, anyOne -> new CopyOnWriteArrayList<>())
                .add(entry);
        return () -> of(signal).removeIf(other -> other == entry);
    }

    private List<Entry> of(Signal signal) {
        return ofSignals.getOrDefault(signal, List.of());
    }

    boolean has(Signal signal) {
        return !of(signal).isEmpty();
    }

    /** Calls all of them; returns how many. */
    int call(SignalInfo info) {
        int called = 0;
        for (Entry entry : of(info.signal())) {
            called++;
            try {
                entry.handler.onSignal(info);
            } catch (Throwable thrown) {
                log.handlerFailed(info.signal(), thrown);
            }
        }
        return called;
    }
}

package dev.carillon.lifecycle;

import dev.carillon.Signal;
import dev.carillon.SignalInfo;
import dev.carillon.SignalSet;
import dev.carillon.loop.EventLoop;
import dev.carillon.signal.SignalOptions;
import dev.carillon.signal.SignalService;
import dev.carillon.signal.SignalWaiter;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Takes signals from the operating system, each by a service of its own, so that each can be given back by itself.
 *
 * <p><b>Threading:</b> the loop's.
 */
final class Intake {
    private final EventLoop loop;
    private final SignalOptions options;
    private final Consumer<Arrival> sink;
    private final LifecycleLog log;
    private final Map<Signal, SignalService> open = new HashMap<>();

    Intake(EventLoop loop, SignalOptions options, Consumer<Arrival> sink, LifecycleLog log) {
        this.loop = loop;
        this.options = options;
        this.sink = sink;
        this.log = log;
    }

    /**
     * Takes a signal from now on; if it is taken already, nothing happens.
     *
     * @throws IllegalStateException if it belongs to a service that keeps it for itself
     */
    void open(Signal signal) {
        if (open.containsKey(signal)) {
            return;
        }
        SignalService service = SignalService.attach(loop, SignalSet.of(signal), options);
        open.put(signal, service);
        if (service.ignored().contains(signal)) {
            log.ignored(signal);
        } else {
            await(service, signal);
        }
    }

    private void await(SignalService service, Signal signal) {
        service.start(new SignalWaiter(signal) {
            @Override
            protected void onSignal(SignalInfo info) {
                if (service.isClosed()) {
                    // It came before that. Nobody decides on it here any more, so it is the process's again.
                    giveBack();
                    return;
                }
                // First: whatever happens now, the next one is waited for.
                await(service, signal);
                sink.accept(new Arrival(info, Arrival.FROM_SYSTEM, null));
            }

            @Override
            protected void onFailure(RuntimeException closed) {
                open.remove(signal, service);
            }
        });
    }

    /** What is taken, and does not come here any more. */
    SignalSet displaced() {
        SignalSet displaced = SignalSet.empty();
        for (SignalService service : open.values()) {
            displaced = displaced.plus(service.displaced());
        }
        return displaced;
    }

    /** Gives a signal back to the process. */
    void close(Signal signal) {
        SignalService service = open.remove(signal);
        if (service != null) {
            service.close();
        }
    }

    /** Gives all back. */
    void closeAll() {
        SignalSet all = SignalSet.empty();
        for (Signal signal : open.keySet()) {
            all = all.plus(signal);
        }
        all.forEach(this::close);
    }
}

package dev.carillon.lifecycle;

import dev.carillon.loop.EventLoop;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Signals that end the process at once, as soon as their handlers have returned, or do not return in time.
 *
 * <p><b>Threading:</b> the loop's.
 */
// r[impl life.quit]
final class Departures {
    private final EventLoop loop;
    private final LifecycleSettings settings;
    private final Handlers handlers;
    private final Exits exits;
    private final Runnable whenOver;
    private int underWay;

    /**
     * None yet.
     *
     * @param whenOver called after each, if the process lives on
     */
    Departures(EventLoop loop, LifecycleSettings settings, Handlers handlers, Exits exits, Runnable whenOver) {
        this.loop = loop;
        this.settings = settings;
        this.handlers = handlers;
        this.exits = exits;
        this.whenOver = whenOver;
    }

    /** Whether handlers are being called. */
    boolean areUnderWay() {
        return underWay > 0;
    }

    /** Such a signal came. */
    void begin(Arrival arrival) {
        AtomicBoolean isOver = new AtomicBoolean();
        underWay++;
        if (!arrival.isTest()) {
            loop.schedule(settings.haltAfter(), () -> leave(arrival, 0, isOver));
        }
        Threads.begin("carillon-leave", () -> {
            int called = handlers.call(arrival.info());
            try {
                loop.execute(() -> leave(arrival, called, isOver));
            } catch (RejectedExecutionException closed) {
                // Its time was over, the process lives on, and nobody waits for it any more.
            }
        });
    }

    private void leave(Arrival arrival, int called, AtomicBoolean isOver) {
        if (!isOver.compareAndSet(false, true)) {
            return;
        }
        int code = settings.exitCode(arrival.signal());
        if (arrival.isTest()) {
            arrival.ended(called, code, true);
        } else {
            exits.halt(code);
        }
        underWay--;
        whenOver.run();
    }
}

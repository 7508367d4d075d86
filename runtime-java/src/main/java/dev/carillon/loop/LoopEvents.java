package dev.carillon.loop;

import dev.carillon.loop.access.ErrorSink;
import jdk.jfr.FlightRecorder;

/** Flight-recorder events; while no recorder was ever switched on, none of their classes is loaded. */
// r[impl loop.observability]
final class LoopEvents {
    private LoopEvents() {}

    /**
     * Loads the class that each iteration asks. If its first loading failed for want of memory, the VM could never load it.
     */
    static void prepare() {
        var unused = FlightRecorder.isInitialized();
    }

    static void wakeup(LoopThread loop, ErrorSink errors) {
        if (FlightRecorder.isInitialized()) {
            try {
                Recorded.wakeup(loop);
            } catch (OutOfMemoryError memoryIsShort) {
                errors.report(memoryIsShort);
            }
        }
    }

    static void slowIteration(LoopThread loop, ErrorSink errors, long nanos, int callbacks) {
        if (FlightRecorder.isInitialized()) {
            try {
                Recorded.slowIteration(loop, nanos, callbacks);
            } catch (OutOfMemoryError memoryIsShort) {
                errors.report(memoryIsShort);
            }
        }
    }

    /** The VM loads this class when the recorder is there. */
    private static final class Recorded {
        static void wakeup(LoopThread loop) {
            LoopWakeupEvent event = new LoopWakeupEvent();
            if (event.isEnabled()) {
                event.loop = loop.name();
                event.commit();
            }
        }

        static void slowIteration(LoopThread loop, long nanos, int callbacks) {
            LoopIterationEvent event = new LoopIterationEvent();
            if (event.isEnabled()) {
                event.loop = loop.name();
                event.took = nanos;
                event.callbacks = callbacks;
                event.commit();
            }
        }
    }
}

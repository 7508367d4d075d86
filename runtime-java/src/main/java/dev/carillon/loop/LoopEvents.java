package dev.carillon.loop;

import jdk.jfr.FlightRecorder;

/** Flight-recorder events; while no recorder was ever switched on, none of their classes is loaded. */
// r[impl loop.observability]
final class LoopEvents {
    private LoopEvents() {}

    /** Loads what is asked in each iteration; where there is no memory for that, it never could be loaded again. */
    static void prepare() {
        var unused = FlightRecorder.isInitialized();
    }

    static void wakeup(PollingLoop loop) {
        if (FlightRecorder.isInitialized()) {
            try {
                Recorded.wakeup(loop);
            } catch (OutOfMemoryError memoryIsShort) {
                loop.report(memoryIsShort);
            }
        }
    }

    static void slowIteration(PollingLoop loop, long nanos, int callbacks) {
        if (FlightRecorder.isInitialized()) {
            try {
                Recorded.slowIteration(loop, nanos, callbacks);
            } catch (OutOfMemoryError memoryIsShort) {
                loop.report(memoryIsShort);
            }
        }
    }

    static void operationFailed(PollingLoop loop, String operation, Throwable cause) {
        if (FlightRecorder.isInitialized()) {
            try {
                Recorded.operationFailed(loop, operation, cause);
            } catch (OutOfMemoryError memoryIsShort) {
                loop.report(memoryIsShort);
            }
        }
    }

    /** Loaded when the recorder is there. */
    private static final class Recorded {
        static void wakeup(PollingLoop loop) {
            LoopWakeupEvent event = new LoopWakeupEvent();
            if (event.isEnabled()) {
                event.loop = loop.name();
                event.commit();
            }
        }

        static void slowIteration(PollingLoop loop, long nanos, int callbacks) {
            LoopIterationEvent event = new LoopIterationEvent();
            if (event.isEnabled()) {
                event.loop = loop.name();
                event.took = nanos;
                event.callbacks = callbacks;
                event.commit();
            }
        }

        static void operationFailed(PollingLoop loop, String operation, Throwable cause) {
            OperationFailedEvent event = new OperationFailedEvent();
            if (event.isEnabled()) {
                event.loop = loop.name();
                event.operation = operation;
                event.cause = String.valueOf(cause);
                event.commit();
            }
        }
    }
}

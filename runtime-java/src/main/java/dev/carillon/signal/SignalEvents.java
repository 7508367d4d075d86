package dev.carillon.signal;

import dev.carillon.SignalInfo;
import dev.carillon.loop.EventLoop;
import jdk.jfr.FlightRecorder;

/** Flight-recorder events; while no recorder was ever switched on, none of their classes is loaded. */
// r[impl signal.jfr]
final class SignalEvents {
    private SignalEvents() {}

    static void delivered(SignalRecord record, EventLoop loop) {
        if (FlightRecorder.isInitialized()) {
            Recorded.delivered(record.info(), loop.nanoTime() - record.arrived());
        }
    }

    /** Loaded when the recorder is there. */
    private static final class Recorded {
        static void delivered(SignalInfo info, long latency) {
            SignalDeliveredEvent event = new SignalDeliveredEvent();
            if (event.isEnabled()) {
                event.signal = info.signal().name();
                event.sender = info.sender().name();
                event.pid = info.pid();
                event.uid = info.uid();
                event.latency = latency;
                event.commit();
            }
        }
    }
}

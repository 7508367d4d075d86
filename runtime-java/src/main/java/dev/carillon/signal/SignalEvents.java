package dev.carillon.signal;

import dev.carillon.SignalInfo;
import dev.carillon.loop.EventLoop;
import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.FlightRecorder;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;
import org.jspecify.annotations.Nullable;

/** Flight-recorder events; while no recorder was ever switched on, none of their classes is loaded. */
// r[impl signal.jfr]
final class SignalEvents {
    private SignalEvents() {}

    static void delivered(SignalRecord record, EventLoop loop) {
        if (FlightRecorder.isInitialized()) {
            Delivered.record(record.info(), loop.nanoTime() - record.arrived());
        }
    }

    @Name("dev.carillon.SignalDelivered")
    @Label("Signal Delivered")
    @Category("Carillon")
    @Description("A signal was given to one who waited for it")
    @StackTrace(false)
    static final class Delivered extends Event {
        @Label("Signal")
        @Nullable
        String signal;

        @Label("Sender")
        @Description("How far the sender can be believed")
        @Nullable
        String sender;

        @Label("Pid of Sender")
        int pid;

        @Label("Uid of Sender")
        int uid;

        @Label("Latency")
        @Description("From the loop's learning of the signal to the waiter's being resumed")
        @Timespan(Timespan.NANOSECONDS)
        long latency;

        static void record(SignalInfo info, long latency) {
            Delivered event = new Delivered();
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

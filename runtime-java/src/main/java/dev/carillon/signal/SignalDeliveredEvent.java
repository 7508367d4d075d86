package dev.carillon.signal;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;
import org.jspecify.annotations.Nullable;

@Name("dev.carillon.SignalDelivered")
@Label("Signal Delivered")
@Category("Carillon")
@Description("A signal was given to one who waited for it")
@StackTrace(false)
final class SignalDeliveredEvent extends Event {
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
}

package dev.carillon.loop;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import org.jspecify.annotations.Nullable;

@Name("dev.carillon.LoopWakeup")
@Label("Loop Wakeup")
@Category("Carillon")
@Description("A parked loop has come back from its poll")
@StackTrace(false)
final class LoopWakeupEvent extends Event {
    @Label("Loop")
    @Nullable
    String loop;
}

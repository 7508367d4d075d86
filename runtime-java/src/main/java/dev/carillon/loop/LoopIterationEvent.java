package dev.carillon.loop;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;
import org.jspecify.annotations.Nullable;

@Name("dev.carillon.LoopIteration")
@Label("Slow Loop Iteration")
@Category("Carillon")
@Description("An iteration whose callbacks took longer than the loop's threshold")
@StackTrace(false)
final class LoopIterationEvent extends Event {
    @Label("Loop")
    @Nullable
    String loop;

    @Label("Took")
    @Timespan(Timespan.NANOSECONDS)
    long took;

    @Label("Callbacks")
    int callbacks;
}

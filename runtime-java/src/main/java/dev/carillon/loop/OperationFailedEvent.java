package dev.carillon.loop;

import jdk.jfr.Category;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import org.jspecify.annotations.Nullable;

@Name("dev.carillon.OperationFailed")
@Label("Operation Failed")
@Category("Carillon")
@StackTrace(false)
final class OperationFailedEvent extends Event {
    @Label("Loop")
    @Nullable
    String loop;

    @Label("Operation")
    @Nullable
    String operation;

    @Label("Cause")
    @Nullable
    String cause;
}

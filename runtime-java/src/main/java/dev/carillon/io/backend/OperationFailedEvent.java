package dev.carillon.io.backend;

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

    static void record(String loop, String operation, Throwable cause) {
        OperationFailedEvent event = new OperationFailedEvent();
        if (event.isEnabled()) {
            event.loop = loop;
            event.operation = operation;
            event.cause = String.valueOf(cause);
            event.commit();
        }
    }
}

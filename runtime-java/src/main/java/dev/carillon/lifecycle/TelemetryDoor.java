package dev.carillon.lifecycle;

import java.util.Map;

/** Tells the user's telemetry, which may fail. <b>Threading:</b> any thread. */
final class TelemetryDoor {
    private final Telemetry telemetry;

    TelemetryDoor(Telemetry telemetry) {
        this.telemetry = telemetry;
    }

    void emit(String event, Map<String, String> tags) {
        try {
            telemetry.emit(event, tags);
        } catch (Throwable thrown) {
            LifecycleLog.telemetryFailed(event, thrown);
        }
    }
}

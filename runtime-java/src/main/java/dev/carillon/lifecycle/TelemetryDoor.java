package dev.carillon.lifecycle;

import java.util.Map;

/** Tells the user's telemetry, which may fail or hang. <b>Threading:</b> any thread. */
final class TelemetryDoor {
    private final Telemetry telemetry;
    private final LifecycleLog log;
    private final Lane lane;

    TelemetryDoor(Telemetry telemetry, LifecycleLog log) {
        this.telemetry = telemetry;
        this.log = log;
        lane = new Lane("carillon-telemetry", lost -> log.lost("events of the telemetry", lost));
    }

    Lane lane() {
        return lane;
    }

    void emit(String event, Map<String, String> tags) {
        if (telemetry != Telemetry.NONE) {
            lane.add(() -> tell(event, tags));
        }
    }

    private void tell(String event, Map<String, String> tags) {
        try {
            telemetry.emit(event, tags);
        } catch (Throwable thrown) {
            log.telemetryFailed(event, thrown);
        }
    }
}

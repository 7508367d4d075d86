package dev.carillon.lifecycle;

import java.util.Map;

/**
 * Gets events to count or to report; {@code event -> registry.counter(event.name(), ...)} with a metrics library.
 *
 * <p><b>Threading:</b> called on threads of the lifecycle, possibly several at once. It should not block. What it throws is
 * logged.
 */
@FunctionalInterface
public interface Telemetry {
    /** A signal was registered that the platform cannot deliver; tags signal, platform, fallback_behavior. */
    String UNSUPPORTED = "fulmen.signal.unsupported";

    /** A signal came; tags signal, origin. */
    String RECEIVED = "carillon.signal.received";

    /** A new configuration was refused; tags failures. */
    String RELOAD_REFUSED = "carillon.reload.refused";

    /** A new configuration was refused three times in a row, or more; tags failures. */
    String RELOAD_FAILURES = "config_reload_failures";

    /** A shutdown is over; tags exit_code, skipped. */
    String SHUTDOWN = "carillon.shutdown.completed";

    /** Nobody is told. */
    Telemetry NONE = (event, tags) -> {};

    /**
     * Something happened.
     *
     * @param event its name, one of those above
     * @param tags more about it
     */
    void emit(String event, Map<String, String> tags);
}

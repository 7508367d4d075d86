package dev.carillon.lifecycle;

import java.util.Map;

/**
 * Gets events to count or to report; {@code carillon-micrometer} has one that counts with Micrometer.
 *
 * <p><b>Threading:</b> called on a thread of the lifecycle that is for this alone, with one event after the other, in their order;
 * before the start and after the close of the lifecycle, on the thread of whoever causes the event. What it throws is logged. While
 * it blocks, up to 1,024 events wait, and the process leaves without those that are left 1 second after its shutdown.
 */
@FunctionalInterface
public interface Telemetry {
    /** A signal was registered that the platform cannot deliver; tags signal, platform, fallback_behavior. */
    String UNSUPPORTED = WindowsFallback.UNSUPPORTED_EVENT;

    /** A signal came; tags signal, origin. */
    String RECEIVED = "carillon.signal.received";

    /** A new configuration was refused; tags failures. */
    String RELOAD_REFUSED = "carillon.reload.refused";

    /** A new configuration was refused three times in a row, or more; tags failures. */
    String RELOAD_FAILURES = "config_reload_failures";

    /** A shutdown is over; tags exit_code (-1 where the VM exits with a code of its own), skipped, millis. */
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

package dev.carillon.lifecycle;

import dev.carillon.Signal;
import java.util.Map;
import java.util.Optional;

/**
 * Says that something was registered for a signal which the platform cannot deliver. That is no error: a program for several
 * systems is meant to get there.
 *
 * <p><b>Threading:</b> any thread.
 */
// r[impl life.fallback] r[impl life.platforms]
final class Unsupported {
    private final Platform platform;
    private final Reports reports;

    Unsupported(Platform platform, Reports reports) {
        this.platform = platform;
        this.reports = reports;
    }

    /** It was registered just now. */
    void registered(Signal signal) {
        Optional<WindowsFallback> known = SignalCatalog.find(signal).map(SignalEntry::windowsFallback);
        String name = signal.name();
        String fallback = known.map(WindowsFallback::fallbackBehavior).orElse("none");
        reports.log()
                .unsupported(
                        known.map(WindowsFallback::logMessage).orElse(name + " is not available on " + platform.id()),
                        name,
                        platform.id(),
                        fallback,
                        known.map(WindowsFallback::operationHint).orElse("only the program itself can dispatch it"));
        reports.telemetry()
                .emit(
                        Telemetry.UNSUPPORTED,
                        Map.of("signal", name, "platform", platform.id(), "fallback_behavior", fallback));
    }
}

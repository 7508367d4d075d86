package dev.carillon.doctor;

import dev.carillon.lifecycle.Platform;
import dev.carillon.lifecycle.SignalCatalog;
import dev.carillon.lifecycle.SignalEntry;
import dev.carillon.lifecycle.WindowsEvent;
import dev.carillon.lifecycle.WindowsFallback;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The catalog of signals as a table for people, with the numbers of a platform. */
final class SignalList {
    private static final String ROW = "%-8s %6s  %9s  %7s  %-33s  %s%n";

    private SignalList() {}

    static String toText(Platform platform) {
        StringBuilder out = new StringBuilder();
        out.append(String.format(ROW, "SIGNAL", "NUMBER", "EXIT CODE", "TIMEOUT", "BEHAVIOUR", "ON WINDOWS"));
        List<SignalEntry> entries = SignalCatalog.entries();
        for (SignalEntry entry : entries) {
            out.append(String.format(
                    ROW,
                    entry.name(),
                    platform.number(entry.signal()),
                    platform.exitCode(entry.signal()),
                    timeout(entry.timeout()),
                    entry.defaultBehavior().id(),
                    onWindows(entry)));
        }
        out.append(String.format(
                "%d signals, with their numbers on %s; --json prints the whole catalog%n",
                entries.size(), platform.id()));
        return out.toString();
    }

    private static String timeout(@Nullable Duration timeout) {
        return timeout == null ? "-" : timeout.toSeconds() + " s";
    }

    private static String onWindows(SignalEntry entry) {
        WindowsEvent event = entry.windowsEvent();
        if (event != null) {
            return event.name();
        }
        WindowsFallback fallback = entry.windowsFallback();
        return fallback == null ? "-" : fallback.fallbackBehavior();
    }
}

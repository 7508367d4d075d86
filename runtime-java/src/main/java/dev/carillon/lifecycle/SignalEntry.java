package dev.carillon.lifecycle;

import dev.carillon.Signal;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What the catalog says of one signal. The fields carry the names of the standard, in Java's spelling.
 *
 * @param id as in {@code term}
 * @param signal the signal; its name and its number on Linux are there
 * @param platformOverrides other numbers on other systems
 * @param windowsEvent what stands for it on Windows, if anything does
 * @param description what it is
 * @param defaultBehavior what it has a program do
 * @param exitCode of a process that ends by it, on Linux; {@link Platform#exitCode} knows the others
 * @param timeout how long the behaviour may take; null where nothing is waited for
 * @param cleanupActions what belongs into the cleanup, as advice for programs
 * @param usageNotes advice for operators
 * @param windowsFallback what to do where Windows lacks it
 * @param doubleTap of INT only
 * @param reload of HUP only
 */
public record SignalEntry(
        String id,
        Signal signal,
        Map<Platform, Integer> platformOverrides,
        @Nullable WindowsEvent windowsEvent,
        String description,
        SignalBehavior defaultBehavior,
        int exitCode,
        @Nullable Duration timeout,
        List<String> cleanupActions,
        String usageNotes,
        @Nullable WindowsFallback windowsFallback,
        @Nullable DoubleTapRule doubleTap,
        @Nullable ReloadStrategy reload) {
    /** Copies the collections. */
    public SignalEntry {
        platformOverrides = Map.copyOf(platformOverrides);
        cleanupActions = List.copyOf(cleanupActions);
    }

    /** As in {@code SIGTERM}. */
    public String name() {
        return signal.name();
    }

    /** As in {@code TERM}, which is how a request over HTTP names it. */
    public String shortName() {
        return signal.name().substring("SIG".length());
    }

    /** Whether a program can handle it: KILL it cannot. */
    public boolean isRegistrable() {
        return !signal.equals(Signal.SIGKILL);
    }
}

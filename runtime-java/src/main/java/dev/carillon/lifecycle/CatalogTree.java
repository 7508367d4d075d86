package dev.carillon.lifecycle;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The catalog as maps and lists, with the standard's names of fields in the order of signals.yaml. */
final class CatalogTree {
    /** The systems that have numbers of their own for some signals. */
    private static final List<Platform> NUMBERED = List.of(Platform.MACOS, Platform.FREEBSD);

    private CatalogTree() {}

    static Map<String, @Nullable Object> whole() {
        Map<String, @Nullable Object> tree = new LinkedHashMap<>();
        tree.put("version", CatalogTable.VERSION);
        tree.put(
                "signals",
                CatalogTable.ENTRIES.stream().map(CatalogTree::signal).toList());
        tree.put(
                "behaviors",
                Stream.of(SignalBehavior.values()).map(CatalogTree::behavior).toList());
        tree.put("os_mappings", mappings());
        tree.put("platform_support", support());
        return tree;
    }

    private static Map<String, @Nullable Object> signal(SignalEntry entry) {
        Map<String, @Nullable Object> tree = new LinkedHashMap<>();
        tree.put("id", entry.id());
        tree.put("name", entry.name());
        tree.put("unix_number", entry.signal().number());
        tree.put("platform_overrides", overrides(entry));
        WindowsEvent event = entry.windowsEvent();
        tree.put("windows_event", event == null ? null : event.name());
        tree.put("description", entry.description());
        tree.put("default_behavior", entry.defaultBehavior().id());
        tree.put("exit_code", entry.exitCode());
        Duration timeout = entry.timeout();
        tree.put("timeout_seconds", timeout == null ? null : timeout.toSeconds());
        DoubleTapRule tap = entry.doubleTap();
        if (tap != null) {
            tree.put("double_tap_window_seconds", tap.window().toSeconds());
            tree.put("double_tap_message", tap.message());
            tree.put("double_tap_behavior", tap.behavior().id());
            tree.put("double_tap_exit_code", tap.exitCode());
        }
        ReloadStrategy reload = entry.reload();
        if (reload != null) {
            tree.put("reload_strategy", reload.strategy());
            tree.put("validation_required", reload.validationRequired());
        }
        tree.put("cleanup_actions", entry.cleanupActions());
        tree.put("usage_notes", entry.usageNotes());
        WindowsFallback fallback = entry.windowsFallback();
        tree.put("windows_fallback", fallback == null ? null : fallback(fallback));
        return tree;
    }

    private static Map<String, @Nullable Object> overrides(SignalEntry entry) {
        Map<String, @Nullable Object> numbers = new LinkedHashMap<>();
        for (Platform platform : NUMBERED) {
            Integer number = entry.platformOverrides().get(platform);
            if (number != null) {
                numbers.put(platform.id(), number);
            }
        }
        return numbers;
    }

    private static Map<String, @Nullable Object> fallback(WindowsFallback fallback) {
        Map<String, @Nullable Object> tree = new LinkedHashMap<>();
        tree.put("fallback_behavior", fallback.fallbackBehavior());
        tree.put("log_level", fallback.logLevel());
        tree.put("log_message", fallback.logMessage());
        tree.put("log_template", fallback.logTemplate());
        tree.put("operation_hint", fallback.operationHint());
        tree.put("telemetry_event", fallback.telemetryEvent());
        Map<String, @Nullable Object> tags = new LinkedHashMap<>();
        for (String tag : List.of("signal", "platform", "fallback_behavior")) {
            tags.put(tag, fallback.telemetryTags().get(tag));
        }
        tree.put("telemetry_tags", tags);
        return tree;
    }

    private static Map<String, @Nullable Object> behavior(SignalBehavior behavior) {
        Map<String, @Nullable Object> tree = new LinkedHashMap<>();
        tree.put("id", behavior.id());
        tree.put("description", behavior.description());
        tree.put("phases", behavior.phases());
        return tree;
    }

    private static Map<String, @Nullable Object> mappings() {
        Map<String, @Nullable Object> unix = new LinkedHashMap<>();
        Map<String, @Nullable Object> toEvent = new LinkedHashMap<>();
        for (SignalEntry entry : CatalogTable.ENTRIES) {
            unix.put(entry.name(), entry.signal().number());
            WindowsEvent event = entry.windowsEvent();
            toEvent.put(entry.name(), event == null ? null : event.name());
        }
        Map<String, @Nullable Object> windows = new LinkedHashMap<>();
        Stream.of(WindowsEvent.values()).forEach(event -> windows.put(event.name(), event.code()));
        Map<String, @Nullable Object> overrides = new LinkedHashMap<>();
        NUMBERED.forEach(platform -> overrides.put(platform.id(), numbersOn(platform)));
        Map<String, @Nullable Object> tree = new LinkedHashMap<>();
        tree.put("unix", unix);
        tree.put("windows", windows);
        tree.put("platform_overrides", overrides);
        tree.put("signal_to_event", toEvent);
        return tree;
    }

    private static Map<String, @Nullable Object> numbersOn(Platform platform) {
        Map<String, @Nullable Object> numbers = new LinkedHashMap<>();
        CatalogTable.ENTRIES.stream()
                .filter(entry -> entry.platformOverrides().containsKey(platform))
                .forEach(entry -> numbers.put(entry.name(), platform.number(entry.signal())));
        return numbers;
    }

    private static Map<String, @Nullable Object> support() {
        Map<String, @Nullable Object> tree = new LinkedHashMap<>();
        for (SignalEntry entry : CatalogTable.ENTRIES) {
            Map<String, @Nullable Object> systems = new LinkedHashMap<>();
            for (Platform platform : Platform.values()) {
                systems.put(platform.id(), platform.support(entry.signal()).id());
            }
            tree.put(entry.name(), systems);
        }
        return tree;
    }
}

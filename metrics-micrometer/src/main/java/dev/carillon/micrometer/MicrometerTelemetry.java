package dev.carillon.micrometer;

import dev.carillon.lifecycle.Telemetry;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/**
 * Counts what a lifecycle reports, under the names of its events.
 *
 * <pre>{@code
 * Lifecycle.builder().telemetry(new MicrometerTelemetry(registry)).build();
 * }</pre>
 *
 * <p>A tag that could have any number of values is left out or cut: of an origin only the first word stays, since a signal that
 * came over HTTP carries the identity of its sender and a correlation id there.
 *
 * <p><b>Threading:</b> any thread.
 *
 * <p><b>Ownership:</b> the registry stays the program's, which closes it.
 *
 * <p><b>See:</b> docs/lifecycle.md.
 */
// r[impl life.metrics]
public final class MicrometerTelemetry implements Telemetry {
    /** How many steps of shutdowns were skipped, or cut, as their time was over. */
    private static final String SKIPPED = "carillon.shutdown.skipped";

    private final MeterRegistry registry;

    /** Counts in this registry. */
    public MicrometerTelemetry(MeterRegistry registry) {
        this.registry = Objects.requireNonNull(registry, "registry");
    }

    @Override
    public void emit(String event, Map<String, String> tags) {
        switch (event) {
            case UNSUPPORTED -> count(event, all(tags));
            case RECEIVED -> count(event, all(tags).and("origin", firstWord(value(tags, "origin"))));
            case SHUTDOWN -> shutdown(tags);
            default -> count(event, Tags.empty());
        }
    }

    private void count(String event, Tags tags) {
        registry.counter(event, tags).increment();
    }

    private void shutdown(Map<String, String> tags) {
        registry.timer(SHUTDOWN, "exit_code", value(tags, "exit_code"))
                .record(Long.parseLong(value(tags, "millis")), TimeUnit.MILLISECONDS);
        registry.counter(SKIPPED).increment(Integer.parseInt(value(tags, "skipped")));
    }

    private static Tags all(Map<String, String> tags) {
        return Tags.of(tags.entrySet().stream()
                .map(tag -> Tag.of(tag.getKey(), tag.getValue()))
                .toList());
    }

    private static String value(Map<String, String> tags, String name) {
        return Objects.requireNonNull(tags.get(name), name);
    }

    private static String firstWord(String text) {
        return text.split(" ", 2)[0];
    }
}

package dev.carillon.lifecycle;

import java.time.Duration;
import java.util.List;

/**
 * What a lifecycle tells: records of the log, events of the telemetry, and lines for the user at the terminal. A log that is a
 * full pipe, a terminal that is stopped and a telemetry that waits for the network block whoever tells them something, so each
 * has a {@link Lane}, from the start of the lifecycle to its close.
 *
 * <p><b>Threading:</b> any thread.
 */
// r[impl life.reports]
final class Reports {
    /** Before the process leaves in good order. */
    private static final Duration LAST_RECORDS = Duration.ofSeconds(1);

    /** Before it is ended by force. */
    private static final Duration LAST_WORDS = Duration.ofMillis(100);

    private final LifecycleLog log = new LifecycleLog();
    private final TelemetryDoor telemetry;
    private final Console console;
    private final List<Lane> lanes;

    Reports(LifecycleSettings settings) {
        telemetry = new TelemetryDoor(settings.telemetry(), log);
        console = new Console(settings.console(), settings.isQuiet(), log);
        lanes = List.of(console.lane(), telemetry.lane(), log.lane());
    }

    LifecycleLog log() {
        return log;
    }

    TelemetryDoor telemetry() {
        return telemetry;
    }

    Console console() {
        return console;
    }

    /** From now on nobody who tells something waits for that. */
    void open() {
        lanes.forEach(Lane::open);
    }

    /** What was told before still comes out. */
    void close() {
        lanes.forEach(Lane::close);
    }

    /** Waits shortly until all is out; the process ends in good order then. */
    void flush() {
        flush(LAST_RECORDS);
    }

    /** Waits very shortly until all is out; the process is ended by force then. */
    void flushLastWords() {
        flush(LAST_WORDS);
    }

    /** One time for all. The log comes last, as it hears of what the others could not take. */
    private void flush(Duration atMost) {
        long began = System.nanoTime();
        long[] before = lanes.stream().mapToLong(Lane::moved).toArray();
        for (int i = 0; i < before.length; i++) {
            lanes.get(i).flush(atMost.minusNanos(System.nanoTime() - began), before[i]);
        }
    }
}

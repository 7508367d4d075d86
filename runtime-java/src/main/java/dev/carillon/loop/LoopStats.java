package dev.carillon.loop;

import java.time.Duration;
import java.util.Map;

/**
 * What a loop has done so far. The figures are of about the same moment.
 *
 * @param iterations how often it polled
 * @param parks how often it was ready to block
 * @param wakeupsWritten how often another thread had to write to wake it
 * @param wakeupsElided how many posts of other threads needed no write
 * @param tasks how many tasks it ran
 * @param timers how many timers it ran
 * @param pendingTimers how many timers wait, cancelled ones that still take memory included
 * @param pendingOperations how many operations wait
 * @param operations how many operations were completed, by kind
 * @param failures how many callbacks threw
 * @param longestCallback the longest time that a callback took; short ones are measured in groups of up to 256, so it may be
 *     that of a group
 */
public record LoopStats(
        long iterations,
        long parks,
        long wakeupsWritten,
        long wakeupsElided,
        long tasks,
        long timers,
        long pendingTimers,
        long pendingOperations,
        Map<String, Long> operations,
        long failures,
        Duration longestCallback) {
    /** Copies the map. */
    public LoopStats {
        operations = Map.copyOf(operations);
    }
}

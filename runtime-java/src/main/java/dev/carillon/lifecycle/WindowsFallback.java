package dev.carillon.lifecycle;

import java.util.Map;

/**
 * What stands in for a signal that Windows lacks, and how a program says so.
 *
 * @param fallbackBehavior as in {@code http_admin_endpoint}
 * @param logLevel of the record; it is no warning, as a program for several systems is meant to get there
 * @param logMessage of the record
 * @param logTemplate of the record's line, where fields are written as text
 * @param operationHint what an operator does instead
 * @param telemetryEvent the name of the event
 * @param telemetryTags the tags of the event
 */
public record WindowsFallback(
        String fallbackBehavior,
        String logLevel,
        String logMessage,
        String logTemplate,
        String operationHint,
        String telemetryEvent,
        Map<String, String> telemetryTags) {
    /** The event of every signal that a platform lacks. */
    public static final String UNSUPPORTED_EVENT = "fulmen.signal.unsupported";

    /** How a record looks where its fields are written as text. */
    public static final String TEMPLATE =
            "signal=${signal} platform=${platform} fallback=${fallback_behavior} message='${operation_hint}'";

    /** Copies the tags. */
    public WindowsFallback {
        telemetryTags = Map.copyOf(telemetryTags);
    }

    /** The line of the log, with the fields in place of their names. */
    public String logLine(String signal, String platform) {
        return logTemplate
                .replace("${signal}", signal)
                .replace("${platform}", platform)
                .replace("${fallback_behavior}", fallbackBehavior)
                .replace("${operation_hint}", operationHint);
    }
}

package dev.carillon.admin;

import com.sun.net.httpserver.Headers;
import dev.carillon.Signal;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What an endpoint answers.
 *
 * @param error the code for programs; null if the request was accepted
 * @param signal what is dispatched afterwards; null if nothing is
 */
// r[impl admin.contract]
record Answer(
        int status,
        @Nullable String error,
        String message,
        Map<String, String> headers,
        @Nullable Signal signal) {
    static final int MOST_BYTES = 4096;
    private static final String INVALID = "invalid_request";
    private static final int LONGEST_ECHO = 64;
    private static final int PREFIX = "SIG".length();

    static Answer accepted(Signal signal) {
        return new Answer(202, null, "Signal will be processed asynchronously", Map.of(), signal);
    }

    static Answer malformed(String why) {
        return refused(400, INVALID, "The body is not a valid request: " + why);
    }

    static Answer unknownSignal(String name, List<Signal> valid) {
        String names = valid.stream().map(Answer::shortName).collect(Collectors.joining(", "));
        return refused(
                400,
                "invalid_signal",
                "Signal '" + PlainText.of(name, LONGEST_ECHO) + "' is not recognized. Valid signals: " + names);
    }

    static Answer unauthenticated(List<String> challenges) {
        Map<String, String> headers =
                challenges.isEmpty() ? Map.of() : Map.of("WWW-Authenticate", String.join(", ", challenges));
        return new Answer(401, "authentication_failed", "The request proves no identity", headers, null);
    }

    static Answer forbidden(Identity who) {
        return refused(403, "forbidden", "'" + PlainText.of(who.toString(), LONGEST_ECHO) + "' may send no signals");
    }

    static Answer forbidden(Identity who, Signal signal) {
        return refused(
                403,
                "forbidden",
                "'" + PlainText.of(who.toString(), LONGEST_ECHO) + "' may not send " + shortName(signal));
    }

    static Answer wrongPath() {
        return refused(404, INVALID, "There is nothing here");
    }

    static Answer wrongMethod() {
        return new Answer(405, INVALID, "The method must be POST", Map.of("Allow", "POST"), null);
    }

    static Answer unhandled(Signal signal) {
        return refused(409, "signal_not_handled", "Signal '" + shortName(signal) + "' is handled by nobody");
    }

    static Answer tooLong() {
        return refused(413, INVALID, "The body is longer than " + MOST_BYTES + " bytes");
    }

    static Answer wrongType() {
        return refused(415, INVALID, "The content type must be application/json");
    }

    static Answer tooMany(String what, long waitNanos) {
        long seconds = 1 + TimeUnit.NANOSECONDS.toSeconds(waitNanos - 1);
        return new Answer(
                429,
                "rate_limit_exceeded",
                "Too many " + what + ", try again in " + seconds + " s",
                Map.of("Retry-After", Long.toString(seconds)),
                null);
    }

    static Answer failed() {
        return refused(500, "internal_error", "The endpoint has failed, see its log");
    }

    private static Answer refused(int status, String error, String message) {
        return new Answer(status, error, message, Map.of(), null);
    }

    static String shortName(Signal signal) {
        return signal.name().substring(PREFIX);
    }

    void writeHeaders(Headers response) {
        headers.forEach(response::set);
        response.set("Content-Type", "application/json");
        response.set("Cache-Control", "no-store");
        // One request to a connection: nothing waits between two, and nobody keeps one for later.
        response.set("Connection", "close");
    }

    byte[] body(String correlationId) {
        Map<String, String> members = new LinkedHashMap<>();
        if (signal != null) {
            members.put("status", "accepted");
            members.put("signal", shortName(signal));
            members.put("correlation_id", correlationId);
        } else {
            members.put("status", "error");
            members.put("error", String.valueOf(error));
        }
        members.put("message", message);
        return FlatJson.write(members).getBytes(StandardCharsets.UTF_8);
    }
}

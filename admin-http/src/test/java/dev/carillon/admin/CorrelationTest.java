package dev.carillon.admin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.Signal;
import dev.carillon.test.Deadline;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is written of a request, and what ties it together. */
// r[verify admin.log] r[verify admin.contract]
final class CorrelationTest extends EndpointCase {
    @ParameterizedTest
    @ValueSource(strings = {"", " ", "two\\nlines", "\\u0000", "\\u2028", "\\u202eltr"})
    void aCorrelationIdThatCouldForgeALineIsReplaced(String id) throws Exception {
        try (SignalEndpoint endpoint = builder().start()) {
            String body = post(endpoint, "{\"signal\":\"TERM\",\"correlation_id\":\"" + id + "\"}")
                    .body();
            assertTrue(body.matches(".*\"correlation_id\":\"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\",.*"), body);
        }
    }

    @Test
    void aCorrelationIdMayHave128Letters() throws Exception {
        try (SignalEndpoint endpoint = builder().start()) {
            String longest = "ä".repeat(128);
            String of = "{\"signal\":\"TERM\",\"correlation_id\":\"%s\"}";
            assertTrue(post(endpoint, of.formatted(longest)).body().contains(longest));
            assertFalse(post(endpoint, of.formatted(longest + "x")).body().contains(longest));
            String first = post(endpoint, "{\"signal\":\"TERM\"}").body();
            assertNotEquals(first, post(endpoint, "{\"signal\":\"TERM\"}").body());
        }
    }

    @Test
    void whatStrangersWriteIsOneShortLineInTheLog() throws Exception {
        try (SignalEndpoint endpoint = builder().start()) {
            String reason = "fine\\r\\nstatus=202 ".repeat(20);
            assertEquals(
                    409,
                    post(endpoint, "{\"signal\":\"USR2\",\"reason\":\"" + reason + "\"}")
                            .statusCode());
            Deadline.after(LIMIT).await("its record came", () -> !Records.all().isEmpty());
            String written = String.valueOf(Records.only().get("reason"));
            assertTrue(written.startsWith("fine??status=202"), written);
            assertEquals(257, written.length());
        }
    }

    @Test
    void anAcceptedSignalThatNobodyTakesIsToldToTheLog() throws Exception {
        DispatchRecorder closed = new DispatchRecorder() {
            @Override
            public void dispatch(Signal signal, String origin) {
                throw new IllegalStateException("closed meanwhile");
            }
        };
        try (SignalEndpoint endpoint = SignalEndpoint.builder(closed)
                .authenticator(Authenticator.bearer(TOKEN))
                .start()) {
            assertEquals(202, post(endpoint, TERM).statusCode());
            Deadline.after(LIMIT)
                    .await(
                            "the failure is told",
                            () -> Records.texts().stream()
                                    .anyMatch(line ->
                                            line.startsWith("ERROR An accepted signal was dispatched to nobody")));
        }
    }
}

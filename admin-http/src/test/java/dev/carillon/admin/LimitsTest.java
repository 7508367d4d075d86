package dev.carillon.admin;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.carillon.test.Deadline;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** How many requests are answered. */
// r[verify admin.rate]
final class LimitsTest extends EndpointCase {
    @Test
    void theEleventhRequestOfAMinuteIsTooMuchAndTheWindowSlides() throws Exception {
        try (SignalEndpoint endpoint = builder().start()) {
            for (int request = 0; request < 10; request++) {
                assertEquals(202, post(endpoint, TERM).statusCode());
                now.addAndGet(TimeUnit.SECONDS.toNanos(1));
            }
            Deadline.after(LIMIT)
                    .await("their records came", () -> Records.all().size() == 10);
            Records.clear();
            HttpResponse<String> response = post(endpoint, TERM);
            assertAnswer(
                    429,
                    "{\"status\":\"error\",\"error\":\"rate_limit_exceeded\","
                            + "\"message\":\"Too many requests, try again in 50 s\"}",
                    response);
            assertEquals(List.of("50"), response.headers().allValues("retry-after"));
            now.addAndGet(TimeUnit.SECONDS.toNanos(50));
            assertEquals(202, post(endpoint, TERM).statusCode());
            assertEquals(429, post(endpoint, TERM).statusCode());
        }
    }

    @Test
    void eachIdentityHasALimitOfItsOwn() throws Exception {
        try (SignalEndpoint endpoint = builder()
                .authenticator(Authenticator.basic("ops", "secret"))
                .requestLimit(1, Duration.ofHours(1))
                .start()) {
            assertEquals(202, post(endpoint, TERM).statusCode());
            assertEquals(429, post(endpoint, TERM).statusCode());
            String ops = "Basic b3BzOnNlY3JldA==";
            assertEquals(
                    202,
                    send(request(endpoint, TERM).setHeader("Authorization", ops))
                            .statusCode());
        }
    }

    @Test
    void failedAuthenticationsHaveALimitThatHoldsEvenForTheRightToken() throws Exception {
        try (SignalEndpoint endpoint =
                builder().failureLimit(3, Duration.ofMinutes(1)).start()) {
            for (int failure = 0; failure < 3; failure++) {
                var wrong = request(endpoint, TERM).setHeader("Authorization", "Bearer " + failure);
                assertEquals(401, send(wrong).statusCode());
            }
            Deadline.after(LIMIT)
                    .await("their records came", () -> Records.all().size() == 3);
            Records.clear();
            HttpResponse<String> response = post(endpoint, TERM);
            assertAnswer(
                    429,
                    "{\"status\":\"error\",\"error\":\"rate_limit_exceeded\","
                            + "\"message\":\"Too many failed authentications, try again in 60 s\"}",
                    response);
            assertEquals(List.of("60"), response.headers().allValues("retry-after"));
            assertEquals(405, send(request(endpoint, "").GET()).statusCode(), "the method comes before this limit");
            now.addAndGet(TimeUnit.MINUTES.toNanos(1));
            assertEquals(202, post(endpoint, TERM).statusCode());
        }
    }
}

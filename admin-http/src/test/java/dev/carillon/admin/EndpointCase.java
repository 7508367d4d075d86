package dev.carillon.admin;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.carillon.test.Deadline;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** An endpoint in this process, and a client. */
abstract class EndpointCase {
    static final Duration LIMIT = Duration.ofSeconds(30);
    static final String TOKEN = "0123456789abcdef0123456789abcdef";
    static final String TERM = "{\"signal\":\"TERM\",\"correlation_id\":\"id-1\"}";

    final DispatchRecorder dispatcher = new DispatchRecorder();
    final AtomicLong now = new AtomicLong();

    /** Its threads end when nobody can reach it any more. */
    private @Nullable HttpClient client;

    @BeforeEach
    void forgetRecords() {
        Records.clear();
    }

    @AfterEach
    void forgetClient() {
        client = null;
    }

    /** A request ends after its answer, and a close waits only so long: the next test must not find its record. */
    @AfterEach
    void awaitWhatIsUnderWay() {
        Deadline.after(LIMIT)
                .await(
                        "no request is under way, and no log of a lifecycle",
                        () -> threads("carillon-admin") + threads("carillon-log") == 0);
    }

    /** How many threads have a name that begins so. */
    static long threads(String name) {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith(name))
                .count();
    }

    SignalEndpointBuilder builder() {
        return SignalEndpoint.builder(dispatcher)
                .authenticator(Authenticator.bearer("deploy", TOKEN))
                .clock(now::get);
    }

    /** A good request that a test may change. */
    static HttpRequest.Builder request(SignalEndpoint endpoint, String body) {
        return HttpRequest.newBuilder(endpoint.uri())
                .timeout(LIMIT)
                .header("Authorization", "Bearer " + TOKEN)
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString(body));
    }

    HttpResponse<String> send(HttpRequest.Builder request) throws IOException, InterruptedException {
        HttpClient one = client;
        if (one == null) {
            one = HttpClient.newBuilder()
                    .version(HttpClient.Version.HTTP_1_1)
                    .connectTimeout(LIMIT)
                    .build();
            client = one;
        }
        return one.send(request.build(), BodyHandlers.ofString());
    }

    HttpResponse<String> post(SignalEndpoint endpoint, String body) throws IOException, InterruptedException {
        return send(request(endpoint, body));
    }

    static void assertAnswer(int status, String body, HttpResponse<String> response) {
        assertEquals(body, response.body());
        assertEquals(status, response.statusCode());
        assertEquals(List.of("application/json"), response.headers().allValues("content-type"));
        Deadline.after(LIMIT).await("the record is there", () -> !Records.all().isEmpty());
        assertEquals(Integer.toString(status), Records.only().get("status"));
    }
}

package dev.carillon.admin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpServer;
import dev.carillon.Signal;
import dev.carillon.SignalSet;
import dev.carillon.test.Deadline;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Each status with its exact body and its record. */
// r[verify admin.contract] r[verify admin.auth]
final class ContractTest extends EndpointCase {
    private static final String INVALID = "{\"status\":\"error\",\"error\":\"invalid_request\",\"message\":";

    @ParameterizedTest
    @ValueSource(strings = {"TERM", "term", "SIGTERM", "sigterm"})
    void aSignalIsAcceptedUnderEachOfItsNames(String name) throws Exception {
        try (SignalEndpoint endpoint = builder().start()) {
            HttpResponse<String> response =
                    post(endpoint, "{\"signal\":\"" + name + "\",\"reason\":\"moving\",\"correlation_id\":\"id-1\"}");
            assertAnswer(
                    202,
                    "{\"status\":\"accepted\",\"signal\":\"TERM\",\"correlation_id\":\"id-1\","
                            + "\"message\":\"Signal will be processed asynchronously\"}",
                    response);
            assertEquals(Signal.SIGTERM, dispatcher.signals.poll(LIMIT.toSeconds(), TimeUnit.SECONDS));
            assertEquals("http from bearer:deploy at 127.0.0.1, correlation_id id-1", dispatcher.origins.remove());
            assertEquals(
                    Map.of(
                            "correlation_id", "id-1",
                            "source", "127.0.0.1",
                            "identity", "bearer:deploy",
                            "signal", "TERM",
                            "status", "202",
                            "reason", "moving"),
                    Records.only());
        }
    }

    @Test
    void theSignalIsDispatchedAfterTheResponse() throws Exception {
        CountDownLatch answered = new CountDownLatch(1);
        DispatchRecorder waits = new DispatchRecorder() {
            @Override
            public void dispatch(Signal signal, String origin) {
                try {
                    // A response that came after this would come too late.
                    assertTrue(answered.await(LIMIT.toSeconds() / 2, TimeUnit.SECONDS));
                } catch (InterruptedException broken) {
                    throw new IllegalStateException("interrupted after the response", broken);
                }
                super.dispatch(signal, origin);
            }
        };
        try (SignalEndpoint endpoint = SignalEndpoint.builder(waits)
                .authenticator(Authenticator.bearer(TOKEN))
                .timeLimit(LIMIT)
                .start()) {
            assertEquals(202, post(endpoint, TERM).statusCode());
            answered.countDown();
            assertEquals(Signal.SIGTERM, waits.signals.poll(LIMIT.toSeconds(), TimeUnit.SECONDS));
        }
    }

    @Test
    void anUnknownSignalIsRefusedInTheWordsOfTheStandard() throws Exception {
        try (SignalEndpoint endpoint = builder().start()) {
            assertAnswer(
                    400,
                    "{\"status\":\"error\",\"error\":\"invalid_signal\",\"message\":\"Signal 'FOO' is not recognized."
                            + " Valid signals: HUP, TERM, INT, QUIT, USR1, USR2\"}",
                    post(endpoint, "{\"signal\":\"FOO\",\"correlation_id\":\"id-7\"}"));
            assertEquals(
                    Map.of(
                            "correlation_id", "id-7",
                            "source", "127.0.0.1",
                            "identity", "bearer:deploy",
                            "signal", "FOO",
                            "status", "400",
                            "error", "invalid_signal"),
                    Records.only());
            assertTrue(dispatcher.signals.isEmpty());
        }
    }

    @Test
    void onlySignalsOfTheListAreValid() throws Exception {
        try (SignalEndpoint endpoint =
                builder().signals(Signal.SIGUSR2, Signal.SIGHUP).start()) {
            assertAnswer(
                    400,
                    "{\"status\":\"error\",\"error\":\"invalid_signal\",\"message\":\"Signal 'TERM' is not recognized."
                            + " Valid signals: USR2, HUP\"}",
                    post(endpoint, TERM));
        }
    }

    @Test
    void aSignalThatNobodyHandlesIsAConflict() throws Exception {
        try (SignalEndpoint endpoint = builder().start()) {
            assertAnswer(
                    409,
                    "{\"status\":\"error\",\"error\":\"signal_not_handled\","
                            + "\"message\":\"Signal 'USR1' is handled by nobody\"}",
                    post(endpoint, "{\"signal\":\"USR1\"}"));
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{'signal':'HUP'                 | expected a comma or the end of the object at character 15",
                "[]                              | expected an object at character 0",
                "{'signal':['HUP']}              | expected a string at character 10",
                "{'signal':15}                   | expected a string at character 10",
                "{'signal':null}                 | expected a string at character 10",
                "{'signal':'HUP','signal':'INT'} | expected another name, as this one is there twice at character 30",
                "{'signal':'HUP'}x               | expected the end at character 16",
                "{'signal':'HUP','sign':'x'}     | unknown name 'sign'; there are signal, reason and correlation_id",
                "{'reason':'x'}                  | signal is missing",
                "{}                              | signal is missing",
                "''                              | expected an object at character 0",
            })
    void whatIsNoRequestIsRefusedWithAReason(String body, String why) throws Exception {
        try (SignalEndpoint endpoint = builder().start()) {
            String json = body.equals("''") ? "" : body.replace('\'', '"');
            assertAnswer(
                    400,
                    INVALID + "\"The body is not a valid request: " + why.replace("\"", "\\\"") + "\"}",
                    post(endpoint, json));
        }
    }

    @Test
    void bytesThatAreNoTextAreRefused() throws Exception {
        try (SignalEndpoint endpoint = builder().start()) {
            HttpRequest.Builder broken =
                    request(endpoint, "").POST(BodyPublishers.ofByteArray(new byte[] {'{', (byte) 0xc3, '}'}));
            assertAnswer(400, INVALID + "\"The body is not a valid request: it is not UTF-8\"}", send(broken));
        }
    }

    @Test
    void whoProvesNothingIsTold() throws Exception {
        try (SignalEndpoint endpoint =
                builder().authenticator(Authenticator.basic("ops", "secret")).start()) {
            HttpResponse<String> response = send(request(endpoint, TERM).setHeader("Authorization", "Bearer wrong"));
            assertAnswer(
                    401,
                    "{\"status\":\"error\",\"error\":\"authentication_failed\","
                            + "\"message\":\"The request proves no identity\"}",
                    response);
            assertEquals(
                    List.of("Bearer realm=\"admin\", Basic realm=\"admin\", charset=\"UTF-8\""),
                    response.headers().allValues("www-authenticate"));
            assertEquals(
                    List.of("correlation_id", "error", "source", "status"),
                    List.copyOf(Records.only().keySet()));
        }
    }

    @ParameterizedTest
    @CsvSource({
        "Bearer, 202",
        "bearer, 202",
        "Token, 401",
        "Bearers, 401",
        "Basic, 401",
        "Digest, 401",
    })
    void aTokenCountsUnderItsSchemeOnly(String scheme, int status) throws Exception {
        try (SignalEndpoint endpoint =
                builder().authenticator(Authenticator.basic("ops", "secret")).start()) {
            var request = request(endpoint, TERM).setHeader("Authorization", scheme + " " + TOKEN);
            assertEquals(status, send(request).statusCode());
        }
    }

    @ParameterizedTest
    @CsvSource({"b3BzOnNlY3JldA==, 202", "b3BzOndyb25n, 401", "b3Bz, 401", "%%%, 401", "b3BzOnNlY3JldA==x, 401"})
    void aPasswordIsBase64(String credentials, int status) throws Exception {
        try (SignalEndpoint endpoint =
                builder().authenticator(Authenticator.basic("ops", "secret")).start()) {
            var request = request(endpoint, TERM).setHeader("Authorization", "Basic " + credentials);
            assertEquals(status, send(request).statusCode());
        }
    }

    @Test
    void twoProofsAreNone() throws Exception {
        try (SignalEndpoint endpoint = builder().start()) {
            var request = request(endpoint, TERM).header("Authorization", "Bearer " + TOKEN);
            assertEquals(401, send(request).statusCode());
        }
    }

    @Test
    void anIdentityThatMaySendNothingIsForbidden() throws Exception {
        try (SignalEndpoint endpoint =
                builder().permissions(who -> SignalSet.empty()).start()) {
            assertAnswer(
                    403,
                    "{\"status\":\"error\",\"error\":\"forbidden\","
                            + "\"message\":\"'bearer:deploy' may send no signals\"}",
                    post(endpoint, "no JSON"));
        }
    }

    @Test
    void anIdentityMaySendOnlyWhatIsPermitted() throws Exception {
        try (SignalEndpoint endpoint = builder()
                .permissions(who -> who.name().equals("deploy") ? SignalSet.of(Signal.SIGHUP) : SignalSet.all())
                .start()) {
            assertEquals(202, post(endpoint, "{\"signal\":\"HUP\"}").statusCode());
            Deadline.after(LIMIT).await("its record came", () -> !Records.all().isEmpty());
            Records.clear();
            assertAnswer(
                    403,
                    "{\"status\":\"error\",\"error\":\"forbidden\","
                            + "\"message\":\"'bearer:deploy' may not send TERM\"}",
                    post(endpoint, TERM));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"GET", "PUT", "DELETE", "OPTIONS"})
    void anotherMethodThanPostIsNotAllowedWhoeverSendsIt(String method) throws Exception {
        try (SignalEndpoint endpoint = builder().start()) {
            HttpResponse<String> response =
                    send(HttpRequest.newBuilder(endpoint.uri()).timeout(LIMIT).method(method, BodyPublishers.noBody()));
            assertAnswer(405, INVALID + "\"The method must be POST\"}", response);
            assertEquals(List.of("POST"), response.headers().allValues("allow"));
        }
    }

    @Test
    void aHeadHasNoBody() throws Exception {
        try (SignalEndpoint endpoint = builder().start()) {
            HttpResponse<String> response =
                    send(HttpRequest.newBuilder(endpoint.uri()).timeout(LIMIT).method("HEAD", BodyPublishers.noBody()));
            assertEquals(405, response.statusCode());
            assertEquals("", response.body());
        }
    }

    // r[verify admin.log]
    @ParameterizedTest
    @ValueSource(
            strings = {"/", "/other", "/admin", "/admin/", "/admin/signal/", "/admin/signal/more", "/admin/signals"})
    void anotherPathIsNotFoundAndLeavesARecord(String path) throws Exception {
        try (SignalEndpoint endpoint = builder().start()) {
            HttpRequest.Builder request =
                    request(endpoint, TERM).uri(endpoint.uri().resolve(path));
            assertAnswer(404, INVALID + "\"There is nothing here\"}", send(request));
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aBodyOfMoreThan4096BytesIsTooLong(boolean hasLength) throws Exception {
        try (SignalEndpoint endpoint = builder().start()) {
            String longest = "{\"signal\":\"TERM\"}" + " ".repeat(4096 - 17);
            var longestBody = BodyPublishers.ofString(longest);
            var longerBody = BodyPublishers.ofString(longest + " ");
            assertEquals(
                    202,
                    send(request(endpoint, "")
                                    .POST(hasLength ? longestBody : BodyPublishers.fromPublisher(longestBody)))
                            .statusCode());
            Deadline.after(LIMIT).await("its record came", () -> !Records.all().isEmpty());
            Records.clear();
            assertAnswer(
                    413,
                    INVALID + "\"The body is longer than 4096 bytes\"}",
                    send(request(endpoint, "")
                            .POST(hasLength ? longerBody : BodyPublishers.fromPublisher(longerBody))));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"text/plain", "application/json5", "application/x-www-form-urlencoded"})
    void anotherTypeThanJsonIsRefused(String type) throws Exception {
        try (SignalEndpoint endpoint = builder().start()) {
            assertAnswer(
                    415,
                    INVALID + "\"The content type must be application/json\"}",
                    send(request(endpoint, TERM).setHeader("Content-Type", type)));
        }
    }

    @Test
    void theTypeMayNameItsCharset() throws Exception {
        try (SignalEndpoint endpoint = builder().start()) {
            assertEquals(
                    202,
                    send(request(endpoint, TERM).setHeader("Content-Type", "Application/JSON; charset=utf-8"))
                            .statusCode());
        }
    }

    @Test
    void theTypeIsLookedAtBeforeTheLengthAndTheLengthBeforeTheBody() throws Exception {
        try (SignalEndpoint endpoint = builder().start()) {
            String longText = "x".repeat(5000);
            assertEquals(
                    415,
                    send(request(endpoint, longText).setHeader("Content-Type", "text/plain"))
                            .statusCode());
            assertEquals(413, post(endpoint, longText).statusCode());
        }
    }

    /** An error too: it would end the thread, and leave the connection open for good. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void anAuthenticatorThatBreaksLetsNobodyIn(boolean isError) throws Exception {
        try (SignalEndpoint endpoint = SignalEndpoint.builder(dispatcher)
                .authenticator(exchange -> {
                    if (isError) {
                        throw new AssertionError("broken, as this test wants it");
                    }
                    throw new IllegalStateException("broken, as this test wants it");
                })
                .start()) {
            assertAnswer(
                    500,
                    "{\"status\":\"error\",\"error\":\"internal_error\","
                            + "\"message\":\"The endpoint has failed, see its log\"}",
                    post(endpoint, TERM));
            Throwable told = Records.all().get(0).getThrowable();
            assertTrue(isError ? told instanceof AssertionError : told instanceof IllegalStateException);
            assertTrue(dispatcher.signals.isEmpty());
        }
    }

    @Test
    void theHandlerFitsIntoAServerThatIsThereAlready() throws Exception {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/internal/signal", builder().handler());
        server.start();
        try {
            URI address = URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/internal/signal");
            HttpRequest.Builder request = HttpRequest.newBuilder(address)
                    .timeout(LIMIT)
                    .header("Authorization", "Bearer " + TOKEN)
                    .header("Content-Type", "application/json")
                    .POST(BodyPublishers.ofString(TERM));
            assertEquals(202, send(request).statusCode());
            assertEquals(Signal.SIGTERM, dispatcher.signals.poll(LIMIT.toSeconds(), TimeUnit.SECONDS));
        } finally {
            server.stop(0);
        }
    }
}

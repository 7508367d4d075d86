package dev.carillon.admin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.Signal;
import dev.carillon.SignalSet;
import dev.carillon.test.Deadline;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

// r[verify admin.hostile]
final class HostileClientsTest extends EndpointCase {
    private static final Duration HOUR = Duration.ofHours(1);
    private static final int SLOW = 200;
    private static final int LEAVERS = 2000;
    private static final long MOST_GROWTH = 10 << 20;

    @ParameterizedTest
    @ValueSource(strings = {"P", "POST /admin/signal HTTP/1.1\r\nHost: x", "body"})
    void aGoodClientIsServedBesideTwoHundredSlowOnes(String beginning) throws Exception {
        String text = beginning.equals("body") ? RawClient.head(4000) + "\r\n{" : beginning;
        List<RawClient> slow = new ArrayList<>();
        try (SignalEndpoint endpoint =
                builder().requestLimit(1000, HOUR).timeLimit(HOUR).start()) {
            for (int client = 0; client < SLOW; client++) {
                slow.add(new RawClient(endpoint).write(text));
            }
            try (RawClient good = new RawClient(endpoint)) {
                assertEquals(202, good.write(RawClient.request(TERM)).status());
            }
            assertEquals(Signal.SIGTERM, dispatcher.signals.poll(LIMIT.toSeconds(), TimeUnit.SECONDS));
            long threads = threads("carillon-admin");
            assertTrue(threads <= 32 + 1, () -> "threads=" + threads);
        } finally {
            for (RawClient client : slow) {
                client.close();
            }
        }
    }

    @Test
    void aSlowClientIsCutOffWhenItsTimeIsOver() throws Exception {
        AtomicInteger heads = new AtomicInteger();
        try (SignalEndpoint endpoint = builder()
                .requestLimit(1000, HOUR)
                .timeLimit(Duration.ofMillis(200))
                .permissions(who -> {
                    heads.incrementAndGet();
                    return SignalSet.all();
                })
                .start()) {
            assertEquals("", untilCutOff(endpoint, "POST /admin"));
            // On a machine that stands still the time may be over before a head is read, or a good request is answered.
            Deadline limit = Deadline.after(LIMIT);
            while (heads.get() == 0 && !limit.isOver()) {
                assertEquals("", untilCutOff(endpoint, RawClient.head(100) + "\r\n{"));
            }
            Deadline.after(LIMIT)
                    .await(
                            "the request with a head is in the log",
                            () -> Records.all().size() == 1);
            assertEquals("400", Records.only().get("status"));
            Deadline.after(LIMIT).await("a good one is answered", () -> isAnswered(endpoint));
        }
    }

    private static String untilCutOff(SignalEndpoint endpoint, String text) throws IOException {
        try (RawClient client = new RawClient(endpoint)) {
            return client.write(text).readUntilCutOff();
        }
    }

    private static boolean isAnswered(SignalEndpoint endpoint) {
        try (RawClient good = new RawClient(endpoint)) {
            return good.write(RawClient.request(TERM)).status() == 202;
        } catch (IOException cutOff) {
            return false;
        }
    }

    @Test
    void moreConnectionsThanPlacesAreClosed() throws Exception {
        List<RawClient> slow = new ArrayList<>();
        try (SignalEndpoint endpoint =
                builder().timeLimit(HOUR).connections(1, 1).start()) {
            for (int client = 0; client < 50; client++) {
                slow.add(new RawClient(endpoint).write("P"));
            }
            int closed = 0;
            for (RawClient client : slow) {
                closed += isClosed(client) ? 1 : 0;
            }
            assertEquals(50, closed, "the first gives way, and the last finds no place or gives way");
            assertEquals(202, post(endpoint, TERM).statusCode());
        } finally {
            for (RawClient client : slow) {
                client.close();
            }
        }
    }

    private static boolean isClosed(RawClient client) {
        try {
            // The last one has nobody behind it, who would make it give way.
            client.socket.shutdownOutput();
            return client.readAll().isEmpty();
        } catch (IOException reset) {
            return true;
        }
    }

    @Test
    void theFirstOfSeveralRequestsOnAConnectionIsAnswered() throws Exception {
        try (SignalEndpoint endpoint = builder().start();
                RawClient client = new RawClient(endpoint)) {
            String answers = client.write(RawClient.request(TERM).repeat(5)).readAll();
            assertEquals(2, answers.split("HTTP/1.1 202", -1).length, answers);
            assertTrue(answers.contains("Connection: close"), answers);
            assertEquals(Signal.SIGTERM, dispatcher.signals.poll(LIMIT.toSeconds(), TimeUnit.SECONDS));
            assertTrue(dispatcher.signals.isEmpty());
        }
    }

    @ParameterizedTest
    @CsvSource({"1, 50000, 202", "150, 100, 202", "250, 10, closed", "1, 5000000, closed"})
    void hugeHeadsAreReadOrRefused(int headers, int length, String expected) throws Exception {
        try (SignalEndpoint endpoint = builder().start();
                RawClient client = new RawClient(endpoint)) {
            StringBuilder head = new StringBuilder(RawClient.head(TERM.length()));
            for (int header = 0; header < headers; header++) {
                head.append("X-")
                        .append(header)
                        .append(": ")
                        .append("x".repeat(length))
                        .append("\r\n");
            }
            int status = statusOrClosed(client, head + "\r\n" + TERM);
            if (expected.equals("closed")) {
                // JDKs before the limit of the length of heads read it all.
                assertTrue(status == 0 || status >= 400 || length > 1_000_000, () -> "status=" + status);
            } else {
                assertEquals(202, status);
            }
            assertEquals(202, post(endpoint, TERM).statusCode());
        }
    }

    private static int statusOrClosed(RawClient client, String text) {
        try {
            return client.write(text).status();
        } catch (IOException reset) {
            return 0;
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "GET\r\n\r\n",
                "POST /admin/signal\r\n\r\n",
                "POST http://[ HTTP/1.1\r\n\r\n",
                "POST mailto:x HTTP/1.1\r\n\r\n",
                "POST /admin/signal HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
                "POST /admin/signal HTTP/1.1\r\nContent-Length: x\r\n\r\n",
                "POST /admin/signal HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
                "POST /admin/signal HTTP/1.1\r\nTransfer-Encoding: gzip\r\n\r\n",
                "POST /admin/signal HTTP/1.1\r\nb\u0000d: x\r\n\r\n",
                "\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003\r\n\r\n",
                "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
            })
    void whatIsNoHttpNeverReachesASignal(String text) throws Exception {
        try (SignalEndpoint endpoint = builder().start();
                RawClient client = new RawClient(endpoint)) {
            int status = statusOrClosed(client, text);
            assertTrue(status == 0 || status >= 400, () -> "status=" + status);
            assertEquals(202, post(endpoint, TERM).statusCode());
        }
    }

    @Test
    void aBrokenChunkIsAnsweredAndBreaksNothing() throws Exception {
        try (SignalEndpoint endpoint = builder().start();
                RawClient client = new RawClient(endpoint)) {
            String head = RawClient.head(0).replace("Content-Length: 0", "Transfer-Encoding: chunked");
            assertEquals(400, client.write(head + "\r\nzz\r\n{}\r\n").status());
            assertEquals(202, post(endpoint, TERM).statusCode());
        }
    }

    @Test
    void aClientThatLeavesBeforeTheAnswerHasStillSentItsSignal() throws Exception {
        try (SignalEndpoint endpoint = builder().start()) {
            try (RawClient client = new RawClient(endpoint)) {
                client.socket.setSoLinger(true, 0);
                client.write(RawClient.request(TERM));
                Deadline.after(LIMIT).await("it was read", () -> !Records.all().isEmpty());
            }
            assertEquals(Signal.SIGTERM, dispatcher.signals.poll(LIMIT.toSeconds(), TimeUnit.SECONDS));
        }
    }

    /** The server of the JDK keeps what a failed exchange had, unless it hears of the failure. */
    @Test
    void clientsThatLeaveInTheMiddleCostNoMemory() throws Exception {
        try (SignalEndpoint endpoint = builder()
                .clock(System::nanoTime)
                .requestLimit(1000, Duration.ofNanos(1))
                .start()) {
            leave(endpoint, LEAVERS / 4);
            long before = RequestFuzzTest.usedMemory();
            leave(endpoint, LEAVERS);
            long growth = RequestFuzzTest.usedMemory() - before;
            assertTrue(growth < MOST_GROWTH, () -> "growth=" + growth);
        }
    }

    private static void leave(SignalEndpoint endpoint, int times) throws IOException {
        Records.clear();
        for (int client = 1; client <= times; client++) {
            try (RawClient leaver = new RawClient(endpoint)) {
                leaver.socket.setSoLinger(true, 0);
                leaver.write(RawClient.head(100) + "\r\n{");
            }
            int most = Math.max(0, client - 16);
            Deadline.after(LIMIT).await("most are told", () -> Records.count() >= most);
        }
    }
}

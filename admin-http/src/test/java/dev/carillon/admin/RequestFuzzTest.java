package dev.carillon.admin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.test.Deadline;
import dev.carillon.test.Seeded;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Requests with mistakes: each is answered as it should be or cut off, and nothing grows. */
// r[verify admin.hostile]
final class RequestFuzzTest extends EndpointCase {
    private static final int ROUNDS = Boolean.getBoolean("carillon.stress") ? 100_000 : 5_000;
    private static final int THREADS = 8;
    private static final long MOST_GROWTH = 24 << 20;

    /** A body, and what it deserves. */
    private record Sample(String body, int status) {}

    private static Sample anySample(SplittableRandom random) {
        String[][] samples = {
            {"{\"signal\":\"TERM\"}", "202"},
            {"{\"signal\":\"SIGHUP\",\"reason\":\"r\",\"correlation_id\":\"c\"}", "202"},
            {"{\"reason\":\"\\u0041\\n\",\"signal\":\"int\"}", "202"},
            {"{\"signal\":\"USR1\"}", "409"},
            {"{\"signal\":\"PIPE\"}", "400"},
            {"{\"signal\":\"" + "x".repeat(random.nextInt(3000)) + "\"}", "400"},
            {"{\"signal\":\"TERM\",\"more\":\"x\"}", "400"},
            {"{\"signal\":" + random.nextInt() + "}", "400"},
            {"{\"signal\":".repeat(1 + random.nextInt(400)), "400"},
            {"[".repeat(random.nextInt(4000)), "400"},
            {"{\"signal\":\"TERM\"" + "}".repeat(2), "400"},
            {" ".repeat(4097 + random.nextInt(1000)), "413"},
        };
        String[] one = samples[random.nextInt(samples.length)];
        return new Sample(one[0], Integer.parseInt(one[1]));
    }

    @Test
    @Timeout(value = 30, unit = TimeUnit.MINUTES)
    void everyRequestIsAnsweredOrCutOff(@Seeded SplittableRandom random) throws Exception {
        Map<Integer, Integer> statuses = new TreeMap<>();
        // The limits stay on, with windows that are over at once.
        try (SignalEndpoint endpoint = SignalEndpoint.builder(dispatcher)
                .authenticator(Authenticator.bearer("deploy", TOKEN))
                .requestLimit(1000, Duration.ofNanos(1))
                .failureLimit(1000, Duration.ofNanos(1))
                .timeLimit(LIMIT)
                .connections(THREADS, 64)
                .start()) {
            int accepted = 0;
            long before = 0;
            for (int round = 0; round < ROUNDS; round++) {
                if (round == ROUNDS / 5) {
                    before = usedMemory();
                }
                int status = round % 2 == 0 ? sendSample(endpoint, random) : sendMutation(endpoint, random);
                statuses.merge(status, 1, Integer::sum);
                accepted += status == 202 ? 1 : 0;
            }
            int dispatched = accepted;
            Deadline.after(LIMIT)
                    .await("each accepted one is dispatched", () -> dispatcher.signals.size() >= dispatched);
            assertEquals(202, post(endpoint, TERM).statusCode());
            long growth = usedMemory() - before;
            assertTrue(growth < MOST_GROWTH, () -> "growth=" + growth + " statuses=" + statuses);
            long threads = Thread.getAllStackTraces().keySet().stream()
                    .filter(thread -> thread.getName().startsWith("carillon-admin"))
                    .count();
            assertTrue(threads <= THREADS + 1, () -> "threads=" + threads);
        }
        System.out.println("fuzzed requests: " + ROUNDS + ", answers by status (0: cut off): " + statuses);
    }

    private static int sendSample(SignalEndpoint endpoint, SplittableRandom random) throws IOException {
        Sample sample = anySample(random);
        try (RawClient client = new RawClient(endpoint)) {
            int status = client.write(RawClient.request(sample.body)).status();
            assertEquals(sample.status, status, sample::body);
            return status;
        }
    }

    /** Bytes are changed, added and left out, anywhere; the client then says that this was all. */
    private static int sendMutation(SignalEndpoint endpoint, SplittableRandom random) {
        byte[] request = RawClient.request(anySample(random).body).getBytes(StandardCharsets.UTF_8);
        StringBuilder text = new StringBuilder(new String(request, StandardCharsets.ISO_8859_1));
        for (int change = 1 + random.nextInt(8); change > 0 && text.length() > 1; change--) {
            int at = random.nextInt(text.length());
            switch (random.nextInt(4)) {
                case 0 -> text.setCharAt(at, (char) random.nextInt(256));
                case 1 -> text.insert(at, (char) random.nextInt(256));
                case 2 -> text.deleteCharAt(at);
                default -> text.setLength(at);
            }
        }
        try (RawClient client = new RawClient(endpoint)) {
            client.write(text.toString().getBytes(StandardCharsets.ISO_8859_1));
            client.socket.shutdownOutput();
            int status = client.status();
            assertTrue(
                    status == 0 || status == 202 || (status >= 400 && status < 500) || status == 501, text::toString);
            return status;
        } catch (IOException reset) {
            return 0;
        }
    }

    static long usedMemory() {
        long least = Long.MAX_VALUE;
        for (int round = 0; round < 3; round++) {
            System.gc();
            least = Math.min(
                    least,
                    Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory());
        }
        return least;
    }
}

package dev.carillon.admin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.carillon.SignalSet;
import dev.carillon.test.Futures;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

// r[verify admin.hostile]
final class CrewTest {
    private static final Duration HOUR = Duration.ofHours(1);

    /** A log or a handler that finds the interrupt of a slow client would close files of its own. */
    @Test
    void whatFollowsARequestDoesNotSeeItsInterrupt() {
        try (Crew crew = new Crew(1, 1, Duration.ofMillis(50))) {
            CompletableFuture<String> seen = new CompletableFuture<>();
            crew.execute(() -> {
                boolean wasInterrupted = hangs();
                // As a channel of the JDK does, which closes itself and leaves the mark.
                Thread.currentThread().interrupt();
                Crew.settle();
                seen.complete(wasInterrupted + " " + Thread.currentThread().isInterrupted());
            });
            assertEquals("true false", Futures.get(seen));
        }
    }

    @Test
    void whoIsSlowGivesWayToWhoWaits() {
        try (Crew crew = new Crew(1, 1, HOUR)) {
            CompletableFuture<Boolean> first = new CompletableFuture<>();
            CompletableFuture<Void> second = new CompletableFuture<>();
            crew.execute(() -> first.complete(hangs()));
            crew.execute(() -> second.complete(null));
            assertEquals(true, Futures.get(first));
            Futures.get(second);
        }
    }

    @Test
    void whoFindsNoPlaceIsTurnedAway() {
        // One that heard the interrupt would give way, and the third would find a place if it came late.
        CompletableFuture<Void> over = new CompletableFuture<>();
        try (Crew crew = new Crew(1, 1, HOUR)) {
            try {
                assertThrows(RejectedExecutionException.class, () -> {
                    for (int request = 0; request < 3; request++) {
                        crew.execute(over::join);
                    }
                });
            } finally {
                over.complete(null);
            }
        }
    }

    /** The system has a limit of threads. */
    @Test
    void whoListensOutlivesALackOfThreads() throws Exception {
        AtomicBoolean isWorkerLacking = new AtomicBoolean(true);
        AtomicBoolean isClockLacking = new AtomicBoolean(true);
        Crew crew = new Crew(1, 1, HOUR, threads(isWorkerLacking), threads(isClockLacking));
        Listener listener = Listener.open(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), null, crew);
        try {
            listener.start("/here", handler());
            // It is closed, or served where a JDK starts threads past the mark of this test.
            get(listener);
            isWorkerLacking.set(false);
            assertEquals("HTTP/1.1 404", get(listener), "without a clock it has no limit");
            isClockLacking.set(false);
            assertEquals("HTTP/1.1 404", get(listener));
        } finally {
            listener.close();
        }
    }

    private static ThreadFactory threads(AtomicBoolean isLacking) {
        return task -> new Thread(task, "carillon-admin-test") {
            @Override
            public synchronized void start() {
                if (isLacking.get()) {
                    throw new OutOfMemoryError("no thread, as this test wants it");
                }
                super.start();
            }
        };
    }

    private static RequestHandler handler() {
        RequestLimit limit = new RequestLimit(1, HOUR, System::nanoTime);
        return new RequestHandler(
                new EndpointSettings(
                        new DispatchRecorder(), List.of(), List.of(), anyone -> SignalSet.all(), limit, limit),
                (facts, answer) -> {});
    }

    private static String get(Listener listener) throws IOException {
        try (Socket client =
                new Socket(listener.address().getAddress(), listener.address().getPort())) {
            client.setSoTimeout((int) EndpointCase.LIMIT.toMillis());
            client.getOutputStream().write("GET / HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            String answer = new String(client.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
            return answer.substring(0, Math.min(answer.length(), "HTTP/1.1 404".length()));
        } catch (SocketException reset) {
            return "";
        }
    }

    private static boolean hangs() {
        try {
            new CountDownLatch(1).await();
            return false;
        } catch (InterruptedException cutOff) {
            return true;
        }
    }
}

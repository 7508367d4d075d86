package dev.carillon.admin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.carillon.test.Futures;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
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
        try (Crew crew = new Crew(1, 1, HOUR)) {
            assertThrows(RejectedExecutionException.class, () -> {
                for (int request = 0; request < 3; request++) {
                    crew.execute(CrewTest::hangs);
                }
            });
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

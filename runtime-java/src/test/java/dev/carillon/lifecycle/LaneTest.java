package dev.carillon.lifecycle;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.test.Deadline;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Where reports go that may hang. */
// r[verify life.reports]
final class LaneTest {
    private static final Duration LONG = Duration.ofSeconds(60);
    private static final Duration SHORT = Duration.ofMillis(20);
    private static final String NAME = "carillon-test-lane";

    private final List<String> did = new CopyOnWriteArrayList<>();
    private final CountDownLatch goOn = new CountDownLatch(1);
    private final Lane lane = new Lane(NAME, lost -> did.add("lost " + lost));

    @AfterEach
    void closeAndLookForItsThread() {
        goOn.countDown();
        lane.close();
        Deadline.after(LONG).await("its thread has ended", () -> !hasThread());
    }

    private static boolean hasThread() {
        return Thread.getAllStackTraces().keySet().stream()
                .anyMatch(thread -> thread.getName().equals(NAME));
    }

    private void hang() {
        try {
            assertTrue(goOn.await(60, TimeUnit.SECONDS));
        } catch (InterruptedException ended) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void whileItIsClosedItHasNoThreadAndWhoAddsSomethingDoesIt() {
        BlockingQueue<Thread> threads = new LinkedBlockingQueue<>();
        lane.add(() -> threads.add(Thread.currentThread()));
        assertSame(Thread.currentThread(), threads.remove());
        lane.open();
        assertFalse(hasThread());
        lane.add(() -> threads.add(Thread.currentThread()));
        assertTrue(lane.flush(LONG));
        assertTrue(threads.remove().isDaemon());
        lane.close();
        Deadline.after(LONG).await("its thread has ended", () -> !hasThread());
        lane.add(() -> threads.add(Thread.currentThread()));
        assertSame(Thread.currentThread(), threads.remove());
    }

    @Test
    void whatItHasIsDoneInOrderAlsoAfterAClose() {
        lane.open();
        lane.add(this::hang);
        for (int i = 0; i < 3; i++) {
            int number = i;
            lane.add(() -> did.add("did " + number));
        }
        lane.close();
        lane.add(() -> did.add("did after the close"));
        assertEquals(List.of(), did);
        goOn.countDown();
        assertTrue(lane.flush(LONG));
        assertEquals(List.of("did 0", "did 1", "did 2", "did after the close"), did);
    }

    @Test
    void behindOneThatHangsABoundWaitsAndTheRestIsCountedAndToldWhenItMoves() {
        CountDownLatch hangs = new CountDownLatch(1);
        lane.open();
        lane.add(() -> {
            hangs.countDown();
            hang();
        });
        Deadline.after(LONG).await("it hangs", () -> hangs.getCount() == 0);
        for (int i = 0; i < Lane.BOUND + 7; i++) {
            lane.add(() -> did.add("did"));
        }
        goOn.countDown();
        assertTrue(lane.flush(LONG));
        assertEquals("lost 7", did.get(0));
        assertEquals(Lane.BOUND + 1, did.size());
    }

    /** The second wait would last for ever. */
    @Test
    void whereAWaitWasGivenUpAndNothingHasMovedNobodyWaitsAgain() {
        lane.open();
        lane.add(this::hang);
        assertFalse(lane.flush(SHORT));
        assertFalse(lane.flush(Duration.ofDays(1)));
        goOn.countDown();
        lane.add(() -> did.add("did"));
        Deadline.after(LONG).await("it has moved", () -> !did.isEmpty());
        assertTrue(lane.flush(LONG));
    }

    @Test
    void anErrorEndsNothingAndItsOwnThreadDoesNotWaitForItself() {
        lane.open();
        lane.add(() -> {
            throw new AssertionError("as this test wants it");
        });
        lane.add(() -> did.add("flushed " + lane.flush(Duration.ofDays(1))));
        assertTrue(lane.flush(LONG));
        assertEquals(List.of("flushed false"), did);
    }
}

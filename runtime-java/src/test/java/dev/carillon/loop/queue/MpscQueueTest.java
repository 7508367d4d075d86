package dev.carillon.loop.queue;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.test.Deadline;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class MpscQueueTest {
    private static final int PRODUCERS = 4;
    private static final int EACH = 100_000;
    private static final Duration LIMIT = Duration.ofSeconds(60);

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 8, 1024})
    void itemsComeOutInTheirOrderAcrossChunks(int chunk) {
        MpscQueue<Integer> queue = new MpscQueue<>(chunk);
        int next = 0;
        for (int i = 0; i < 1_000; i++) {
            queue.offer(i);
            if (i % 3 == 0) {
                assertEquals(next++, queue.poll());
            }
        }
        while (next < 1_000) {
            assertEquals(next++, queue.poll());
        }
        assertNull(queue.poll());
        assertTrue(queue.isEmpty());
    }

    // r[verify loop.wakeup]
    @ParameterizedTest
    @ValueSource(ints = {1, 4, 2048})
    void itemsOfManyProducersAllArriveAndEachProducersInOrder(int chunk) throws InterruptedException {
        MpscQueue<long[]> queue = new MpscQueue<>(chunk);
        List<Thread> producers = new ArrayList<>();
        for (int p = 0; p < PRODUCERS; p++) {
            int producer = p;
            Thread thread = new Thread(() -> {
                for (long i = 0; i < EACH; i++) {
                    queue.offer(new long[] {producer, i});
                }
            });
            producers.add(thread);
            thread.start();
        }
        long[] next = new long[PRODUCERS];
        Deadline deadline = Deadline.after(LIMIT);
        for (int i = 0; i < PRODUCERS * EACH; i++) {
            long[] item;
            while ((item = queue.poll()) == null) {
                assertFalse(deadline.isOver(), "items got lost");
                Thread.onSpinWait();
            }
            assertEquals(next[(int) item[0]]++, item[1]);
        }
        assertTrue(queue.isEmpty());
        for (Thread producer : producers) {
            producer.join(LIMIT.toMillis());
        }
    }

    @Test
    void afterAStopOnlyWhatMustBeIsAccepted() {
        MpscQueue<String> queue = new MpscQueue<>(2);
        assertTrue(queue.offer("before"));
        queue.stop();
        assertFalse(queue.offer("refused"));
        assertTrue(queue.offerAlways("always"));
        long claimed = queue.close();
        assertFalse(queue.offerAlways("too late"));
        assertFalse(queue.offer("too late"));
        assertFalse(queue.takenUpTo(claimed));
        assertEquals("before", queue.poll());
        assertEquals("always", queue.poll());
        assertNull(queue.poll());
        assertTrue(queue.takenUpTo(claimed));
    }

    // r[verify loop.stop]
    @Test
    void whatIsAcceptedWhileTheQueueIsClosedComesOutAndNothingElse() throws InterruptedException {
        for (int round = 0; round < 200; round++) {
            MpscQueue<Integer> queue = new MpscQueue<>(4);
            AtomicLong accepted = new AtomicLong();
            List<Thread> producers = new ArrayList<>();
            for (int p = 0; p < PRODUCERS; p++) {
                Thread thread = new Thread(() -> {
                    while (queue.offer(1)) {
                        accepted.incrementAndGet();
                    }
                });
                producers.add(thread);
                thread.start();
            }
            long taken = 0;
            Deadline deadline = Deadline.after(LIMIT);
            while (taken < 1_000) {
                assertFalse(deadline.isOver());
                taken += queue.poll() == null ? 0 : 1;
            }
            long claimed = queue.close();
            while (!queue.takenUpTo(claimed)) {
                assertFalse(deadline.isOver());
                taken += queue.poll() == null ? 0 : 1;
            }
            for (Thread producer : producers) {
                producer.join(LIMIT.toMillis());
            }
            assertEquals(accepted.get(), taken);
        }
    }

    @Test
    void theBacklogIsWhatWasNotTaken() {
        MpscQueue<Integer> queue = new MpscQueue<>(4);
        for (int i = 0; i < 10; i++) {
            queue.offer(i);
        }
        queue.poll();
        assertEquals(9, queue.backlog());
    }
}

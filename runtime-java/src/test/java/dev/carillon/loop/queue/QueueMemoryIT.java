package dev.carillon.loop.queue;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.test.ChildJvm;
import dev.carillon.test.ChildProcess;
import dev.carillon.test.Deadline;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Queues in a process that runs out of memory: nothing that was accepted is lost, and nothing is stuck. */
final class QueueMemoryIT {
    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final int CHUNK = 1 << 20;

    private static void run(Class<?> main, Path folder) {
        try (ChildProcess child = ChildJvm.of(main)
                .workingDirectory(folder)
                .vmFlags("-Xmx48m", "-XX:+UseSerialGC")
                .start()) {
            assertEquals(0, child.awaitExit(LIMIT).code());
        }
    }

    /** Whatever the heap still has for arrays of a chunk's size. */
    private static List<Object[]> ballast() {
        List<Object[]> ballast = new ArrayList<>();
        try {
            while (true) {
                ballast.add(new Object[CHUNK]);
            }
        } catch (OutOfMemoryError full) {
            return ballast;
        }
    }

    // r[verify loop.stop]
    @Test
    void aProducerWithoutMemoryForItsPlaceWaitsAndStopsNobodyForGood(@TempDir Path folder) {
        run(Producer.class, folder);
    }

    static final class Producer {
        public static void main(String[] args) throws InterruptedException {
            MpscQueue<Integer> queue = new MpscQueue<>(CHUNK);
            for (int i = 0; i < CHUNK; i++) {
                queue.offer(1);
            }
            List<Object[]> ballast = ballast();
            Thread producer = new Thread(() -> queue.offer(2));
            producer.start();
            Deadline deadline = Deadline.after(LIMIT);
            deadline.await(
                    "it has claimed a place and waits for memory",
                    () -> queue.claimed() > CHUNK && producer.getState() == Thread.State.TIMED_WAITING);
            ballast.clear();
            for (int i = 0; i < CHUNK; i++) {
                assertEquals(1, queue.poll());
            }
            Integer[] last = new Integer[1];
            deadline.await("its item arrives", () -> (last[0] = queue.poll()) != null);
            assertEquals(2, last[0]);
            producer.join(LIMIT.toMillis());
        }
    }

    @Test
    void aRingThatCannotGrowOverwritesNothing(@TempDir Path folder) {
        run(Ring.class, folder);
    }

    static final class Ring {
        public static void main(String[] args) {
            RingQueue<Integer> ring = new RingQueue<>();
            for (int i = 0; i < CHUNK; i++) {
                ring.add(i % 100);
            }
            List<Object[]> ballast = ballast();
            int accepted = CHUNK;
            int refused = 0;
            for (int i = 0; i < 3; i++) {
                try {
                    ring.add(accepted % 100);
                    accepted++;
                } catch (OutOfMemoryError expected) {
                    refused++;
                }
            }
            ballast.clear();
            assertTrue(refused > 0, "there was memory");
            assertEquals(accepted, ring.size());
            for (int i = 0; i < accepted; i++) {
                assertEquals(i % 100, ring.poll());
            }
        }
    }
}

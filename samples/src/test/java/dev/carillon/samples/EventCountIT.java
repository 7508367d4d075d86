package dev.carillon.samples;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.futex.EventCount;
import dev.carillon.memory.MemoryRegion;
import dev.carillon.memory.OrderedBytes;
import dev.carillon.test.Deadline;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What docs/futex.md shows. */
class EventCountIT {
    private static final int NUMBER = 64;

    @Test
    void whoWaitsSeesWhatWasPublished() throws Exception {
        try (MemoryRegion region = MemoryRegion.memfd("event", 4_096)) {
            Thread publisher = new Thread(() -> publish(region, 42));
            publisher.start();
            assertEquals(42, Deadline.call(Duration.ofSeconds(20), () -> receive(region)));
            publisher.join(10_000);
        }
    }

    private static int receive(MemoryRegion region) throws InterruptedException {
        // region wait
        EventCount published = EventCount.at(region, 0);
        OrderedBytes bytes = region.bytes();
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
        boolean inTime = published.awaitUntil(() -> bytes.getIntAcquire(NUMBER) != 0, deadline);
        // endregion
        assertTrue(inTime);
        return bytes.getInt(NUMBER);
    }

    private static void publish(MemoryRegion region, int number) {
        EventCount published = EventCount.at(region, 0);
        // region signal
        region.bytes().putIntRelease(NUMBER, number);
        published.signal();
        // endregion
    }
}

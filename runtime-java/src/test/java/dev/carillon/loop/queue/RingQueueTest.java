package dev.carillon.loop.queue;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.carillon.test.Seeded;
import java.util.ArrayDeque;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

final class RingQueueTest {
    @Test
    void itBehavesLikeAnyQueue(@Seeded SplittableRandom random) {
        RingQueue<Integer> ring = new RingQueue<>();
        ArrayDeque<Integer> model = new ArrayDeque<>();
        for (int step = 0; step < 100_000; step++) {
            if (random.nextInt(100) < (step / 10_000 % 2 == 0 ? 60 : 40)) {
                ring.add(step);
                model.add(step);
            } else {
                assertEquals(model.poll(), ring.poll());
            }
            assertEquals(model.size(), ring.size());
            assertEquals(model.isEmpty(), ring.isEmpty());
            if (random.nextInt(100) == 0) {
                ring.giveBack();
            }
        }
    }

    // r[verify loop.burst]
    @Test
    void theArrayOfABurstIsGivenBack() {
        RingQueue<Integer> ring = new RingQueue<>();
        for (int i = 0; i < 1_000_000; i++) {
            ring.add(i);
        }
        for (int i = 0; i < 1_000_000; i++) {
            assertEquals(i, ring.poll());
        }
        for (int i = 0; i < 20; i++) {
            ring.giveBack();
        }
        assertEquals(1024, ring.capacity());
    }
}

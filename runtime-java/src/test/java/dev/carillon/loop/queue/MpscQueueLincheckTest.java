package dev.carillon.loop.queue;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.test.ChildExit;
import java.util.ArrayDeque;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The queue from many threads to one, against a queue under a lock. Chunks of two places, so that they change often. */
@Timeout(1_200)
final class MpscQueueLincheckTest {
    // r[verify loop.wakeup] r[verify loop.stop]
    @Test
    void inEveryInterleavingItIsAQueue() {
        ChildExit exit = LincheckRun.of(Shipped.class, Model.class);
        assertEquals(0, exit.code(), exit::toString);
        System.out.println(exit.stdout().get(exit.stdout().size() - 1));
    }

    @Test
    void thatAPollFindsNothingDoesNotMeanThatItIsEmpty() {
        assertFound(LincheckRun.of(TakesNothingForEmpty.class, Model.class));
    }

    @Test
    void aPlaceThatIsPublishedBeforeItIsFilledIsFound() {
        assertFound(LincheckRun.of(PublishedTooEarly.class, Model.class));
    }

    @Test
    void aPlaceThatIsClaimedByAReadAndAWriteIsFound() {
        assertFound(LincheckRun.of(ClaimedInTwoSteps.class, Model.class));
    }

    private static void assertFound(ChildExit exit) {
        assertNotEquals(0, exit.code());
        assertTrue(exit.toString().contains("Invalid execution results"), exit::toString);
    }

    /** As the loop uses it: what is on its way is waited for. */
    public static class Shipped {
        final MpscQueue<Integer> queue = new MpscQueue<>(2);
        private long end = Long.MAX_VALUE;

        @Operation
        public boolean offer(@Param(gen = IntGen.class, conf = "1:9") int item) {
            return queue.offer(item);
        }

        @Operation
        public boolean offerAlways(@Param(gen = IntGen.class, conf = "1:9") int item) {
            return queue.offerAlways(item);
        }

        @Operation(runOnce = true)
        public void stop() {
            queue.stop();
        }

        @Operation(runOnce = true, nonParallelGroup = "consumer")
        public void close() {
            end = queue.close();
        }

        @Operation(nonParallelGroup = "consumer")
        public @Nullable Integer take() {
            Integer item;
            while ((item = queue.poll()) == null && !queue.isEmpty() && !queue.takenUpTo(end)) {
                Thread.onSpinWait();
            }
            return item;
        }
    }

    /** Planted: does not ask whether something is on its way. */
    public static class TakesNothingForEmpty extends Shipped {
        @Override
        @Operation(nonParallelGroup = "consumer")
        public @Nullable Integer take() {
            return queue.poll();
        }
    }

    /** What it is compared with; one call at a time. */
    public static class Model {
        private final ArrayDeque<Integer> items = new ArrayDeque<>();
        private boolean stopped;
        private boolean closed;

        public boolean offer(int item) {
            return !stopped && items.add(item);
        }

        public boolean offerAlways(int item) {
            return !closed && items.add(item);
        }

        public void stop() {
            stopped = true;
        }

        public void close() {
            stopped = true;
            closed = true;
        }

        public @Nullable Integer take() {
            return items.poll();
        }
    }

    /** Planted: a queue of a few places whose counter says that a place is filled before it is. */
    public static class PublishedTooEarly {
        final AtomicReferenceArray<@Nullable Integer> places = new AtomicReferenceArray<>(64);
        final AtomicLong claimed = new AtomicLong();
        private int taken;

        @Operation
        public boolean offer(@Param(gen = IntGen.class, conf = "1:9") int item) {
            places.set((int) claimed.getAndIncrement(), item);
            return true;
        }

        @Operation(nonParallelGroup = "consumer")
        public @Nullable Integer take() {
            return taken < claimed.get() ? places.get(taken++) : null;
        }
    }

    /** Planted: two producers may claim one place. */
    public static class ClaimedInTwoSteps extends PublishedTooEarly {
        private int read;

        @Override
        @Operation
        public boolean offer(@Param(gen = IntGen.class, conf = "1:9") int item) {
            long place = claimed.get();
            places.set((int) place, item);
            claimed.set(place + 1);
            return true;
        }

        @Override
        @Operation(nonParallelGroup = "consumer")
        public @Nullable Integer take() {
            return read < claimed.get() ? places.get(read++) : null;
        }
    }
}

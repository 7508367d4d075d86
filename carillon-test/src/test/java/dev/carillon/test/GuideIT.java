package dev.carillon.test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** The code that docs/testing.md shows. */
class GuideIT {
    @Test
    void aChildPrintsAFactIsSignalledAndEnds() {
        // region child
        try (ChildProcess child =
                ChildJvm.of(Service.class).ignoreSignals("HUP").start()) {
            child.awaitLine("ready", Duration.ofSeconds(20));
            child.send("TERM");
            ChildExit exit = child.awaitExit(Duration.ofSeconds(20));
            assertEquals(143, exit.code(), exit::toString);
        }
        // endregion
    }

    @Test
    void everyWaitHasADeadline() throws Exception {
        Queue<String> queue = new ArrayDeque<>();
        // region deadline
        Deadline.after(Duration.ofSeconds(10)).await("the queue is empty", queue::isEmpty);
        int read = Deadline.call(Duration.ofSeconds(10), () -> readThatMightHang());
        // endregion
        assertEquals(7, read);
    }

    // region seed
    @Test
    void anyNumberIsBelowItsBound(@Seeded SplittableRandom random) {
        assertTrue(random.nextInt(100) < 100);
    }
    // endregion

    private static int readThatMightHang() {
        return 7;
    }

    /** Stands for what a test starts. */
    static final class Service {
        private Service() {}

        public static void main(String[] arguments) throws InterruptedException {
            System.out.println("ready");
            Thread.currentThread().join();
        }
    }
}

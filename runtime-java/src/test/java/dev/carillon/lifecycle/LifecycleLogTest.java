package dev.carillon.lifecycle;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What the log says of itself. */
final class LifecycleLogTest {
    // r[verify life.reports]
    @Test
    void aLogThatHungSaysHowManyRecordsItHasLost() throws InterruptedException {
        LifecycleLog log = new LifecycleLog();
        CountDownLatch hangs = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        ByteArrayOutputStream said = new ByteArrayOutputStream();
        PrintStream before = System.err;
        System.setErr(new PrintStream(said, true, StandardCharsets.UTF_8));
        try {
            log.lane().open();
            log.lane().add(() -> {
                hangs.countDown();
                await(goOn);
            });
            assertTrue(hangs.await(60, TimeUnit.SECONDS));
            for (int i = 0; i < Lane.BOUND + 3; i++) {
                log.hookCalledExit("hook " + i);
            }
            log.lane().close();
            goOn.countDown();
            assertTrue(log.lane().flush(Duration.ofSeconds(60)));
        } finally {
            System.setErr(before);
        }
        List<String> lines = said.toString(StandardCharsets.UTF_8).lines().toList();
        assertTrue(lines.get(0).endsWith("what=records of this log count=3"), lines.get(0));
        assertTrue(lines.get(Lane.BOUND).endsWith("hook=hook " + (Lane.BOUND - 1)), lines.get(Lane.BOUND));
        assertEquals(Lane.BOUND + 1, lines.size());
    }

    private static void await(CountDownLatch latch) {
        try {
            assertTrue(latch.await(60, TimeUnit.SECONDS));
        } catch (InterruptedException ended) {
            Thread.currentThread().interrupt();
        }
    }
}

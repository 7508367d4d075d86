package dev.carillon.lifecycle;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.OutputStream;
import java.io.PrintStream;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Several that hang at once. */
// r[verify life.reports]
final class ReportsTest {
    private final CountDownLatch goOn = new CountDownLatch(1);

    private void hang() {
        try {
            assertTrue(goOn.await(60, TimeUnit.SECONDS));
        } catch (InterruptedException ended) {
            Thread.currentThread().interrupt();
        }
    }

    private final PrintStream stoppedTerminal = new PrintStream(new OutputStream() {
        @Override
        public void write(int letter) {
            hang();
        }
    });

    /** An exit waits once before it begins, and once in the hook of the VM. */
    @Test
    void theTimeOfOneWaitCountsForAllThatHangAndNobodyWaitsForThemAgain() {
        Reports reports = new Reports(Lifecycle.builder()
                .console(stoppedTerminal)
                .telemetry((event, tags) -> hang())
                .settings(Map.of()));
        reports.open();
        reports.console().print("a line");
        reports.telemetry().emit("an event", Map.of());
        long began = System.nanoTime();
        reports.flush();
        long first = System.nanoTime() - began;
        reports.flush();
        long second = System.nanoTime() - began - first;
        goOn.countDown();
        reports.close();
        assertTrue(second < first / 2, "the first took " + first + " ns, the second " + second);
    }
}

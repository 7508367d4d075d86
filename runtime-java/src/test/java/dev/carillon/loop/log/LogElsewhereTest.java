package dev.carillon.loop.log;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.carillon.loop.log.Log.Severity;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;

/** A thread that must not wait for a logging library. */
final class LogElsewhereTest {
    // r[verify life.own-loop]
    @Test
    void whatAThreadLogsIsSaidByTheSpeakerThatItHasAndByNoOther() {
        Log log = Log.of(LogElsewhereTest.class);
        List<Runnable> held = new ArrayList<>();
        ExecutorService thread = Executors.newSingleThreadExecutor();
        CompletableFuture.runAsync(
                        () -> {
                            Log.sayElsewhere(held::add);
                            log.warn("a warning of {}", "a test");
                            log.error("an error", new IllegalStateException("as this test wants it"));
                            log.debug("a detail", new IllegalStateException("as this test wants it"));
                            log.record(Severity.WARN, "a record", null);
                        },
                        thread)
                .join();
        thread.shutdown();
        assertEquals(4, held.size());
        // Here is no speaker, so they are said, and come back to nobody.
        held.forEach(Runnable::run);
        log.record(Severity.INFO, "a record of another thread", null);
        assertEquals(4, held.size());
    }
}

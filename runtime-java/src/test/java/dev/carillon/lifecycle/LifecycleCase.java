package dev.carillon.lifecycle;

import dev.carillon.Signal;
import dev.carillon.test.Futures;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;

/** A lifecycle in this process, with an exit that is taken down. */
abstract class LifecycleCase {
    static final Duration LONG = Duration.ofSeconds(60);
    private static final Duration HOUR = Duration.ofHours(1);

    final ExitRecorder exits = new ExitRecorder();
    final List<String> did = new CopyOnWriteArrayList<>();
    final ByteArrayOutputStream printed = new ByteArrayOutputStream();
    final Lifecycle lifecycle = builder().build();

    LifecycleBuilder builder() {
        return Lifecycle.builder()
                .exitHook(exits)
                .timeout(LONG)
                .haltAfter(HOUR)
                .doubleTapWindow(HOUR)
                .console(new PrintStream(printed, true, StandardCharsets.UTF_8));
    }

    @AfterEach
    void close() {
        lifecycle.close();
    }

    static SignalOutcome inject(Lifecycle lifecycle, Signal signal) {
        return Futures.get(lifecycle.injectForTest(signal));
    }
}

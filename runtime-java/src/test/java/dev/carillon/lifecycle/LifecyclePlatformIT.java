package dev.carillon.lifecycle;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.carillon.Signal;
import dev.carillon.signal.LogOnStderr;
import dev.carillon.test.ChildExit;
import dev.carillon.test.ChildJvm;
import dev.carillon.test.ChildProcess;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A simulated Windows in a real process, with real signals and a real log. */
// r[verify life.fallback] r[verify life.real]
final class LifecyclePlatformIT {
    private static final Duration LIMIT = Duration.ofSeconds(60);

    private static ChildExit run(String signal) {
        try (ChildProcess child =
                ChildJvm.of(Windows.class).vmFlags(LogOnStderr.FLAG).start()) {
            child.awaitLine("ready", LIMIT);
            child.send(signal);
            return child.awaitExit(LIMIT);
        }
    }

    /** What is not taken does what it ever did, which for USR1 is the end. */
    @ParameterizedTest
    @CsvSource({"USR1, 138, false", "TERM, 143, true"})
    void aSignalThatWindowsLacksIsNotTaken(String signal, int code, boolean hasCleanedUp) {
        ChildExit exit = run(signal);
        assertEquals(code, exit.code(), exit::toString);
        assertEquals(hasCleanedUp ? List.of("ready", "cleaned up") : List.of("ready"), exit.stdout(), exit::toString);
    }

    @Test
    void itsRegistrationLeavesOneRecord() {
        ChildExit exit = run("TERM");
        Predicate<String> isAboutIt = line -> line.contains("SIGUSR1");
        assertEquals(
                List.of("INFO signal=SIGUSR1 platform=windows fallback=http_admin_endpoint"
                        + " operation_hint=POST /admin/signal with signal=USR1 SIGUSR1 is not available on Windows"),
                exit.stderr().stream().filter(isAboutIt).toList(),
                exit::toString);
    }

    static final class Windows {
        public static void main(String[] args) throws InterruptedException {
            Lifecycle lifecycle = Lifecycle.builder().platform(Platform.WINDOWS).build();
            lifecycle.handle(Signal.SIGUSR1, info -> System.out.println("handled"));
            lifecycle.onShutdown("clean up", () -> System.out.println("cleaned up"));
            lifecycle.start();
            System.out.println("ready");
            new CountDownLatch(1).await();
        }
    }
}

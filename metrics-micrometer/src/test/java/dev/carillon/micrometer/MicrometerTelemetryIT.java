package dev.carillon.micrometer;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.carillon.Signal;
import dev.carillon.lifecycle.Lifecycle;
import dev.carillon.test.ChildExit;
import dev.carillon.test.ChildJvm;
import dev.carillon.test.ChildProcess;
import dev.carillon.test.Deadline;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** A real process that counts its real signals, and can still tell them when the VM exits. */
// r[verify life.metrics]
final class MicrometerTelemetryIT {
    private static final Duration LIMIT = Duration.ofSeconds(60);

    @Test
    void theLastMetersCanBePublishedAtTheExit() {
        try (ChildProcess child = ChildJvm.of(Service.class).start()) {
            child.awaitLine("ready", LIMIT);
            child.send("USR1");
            child.awaitLine("USR1 came", LIMIT);
            child.send("TERM");
            ChildExit exit = child.awaitExit(LIMIT);
            assertEquals(143, exit.code(), exit::toString);
            assertEquals(List.of("ready", "USR1 came", "1.0 1.0 1"), exit.stdout(), exit::toString);
        }
    }

    static final class Service {
        public static void main(String[] args) throws InterruptedException {
            SimpleMeterRegistry registry = new SimpleMeterRegistry();
            Runtime.getRuntime().addShutdownHook(new Thread(() -> publish(registry)));
            Lifecycle lifecycle = Lifecycle.builder()
                    .telemetry(new MicrometerTelemetry(registry))
                    .build();
            lifecycle.handle(Signal.SIGUSR1, info -> System.out.println("USR1 came"));
            lifecycle.start();
            System.out.println("ready");
            new CountDownLatch(1).await();
        }

        /** The exit waits a second for what was told, and where the machine stands still this comes first. */
        private static void publish(SimpleMeterRegistry registry) {
            Deadline.after(LIMIT)
                    .await(
                            "the last meter is counted",
                            () -> registry.find("carillon.shutdown.skipped").counter() != null);
            System.out.println(received(registry, Signal.SIGUSR1) + " " + received(registry, Signal.SIGTERM) + " "
                    + registry.get("carillon.shutdown.completed")
                            .tag("exit_code", "143")
                            .timer()
                            .count());
        }

        private static double received(SimpleMeterRegistry registry, Signal signal) {
            return registry.get("carillon.signal.received")
                    .tags("signal", signal.name(), "origin", "system")
                    .counter()
                    .count();
        }
    }
}

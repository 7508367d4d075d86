package dev.carillon.lifecycle;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.signal.LogOnStderr;
import dev.carillon.test.ChildExit;
import dev.carillon.test.ChildJvm;
import dev.carillon.test.ChildProcess;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a lifecycle tells, and a log, a terminal or a telemetry that does not take it. */
// r[verify life.reports] r[verify life.real]
final class LifecycleReportsIT {
    private static final Duration LIMIT = Duration.ofSeconds(60);

    /** Its standard error is a pipe that nobody reads, and that has no end. */
    private static final String[] UNREAD_STDERR = {
        "sh", "-c", "d=$(mktemp -d) && mkfifo $d/p && exec 3<>$d/p && rm -r $d && exec \"$@\" 2>&3", "sh"
    };

    private static ChildProcess start(String mode) {
        ChildJvm program = ChildJvm.of(Service.class).vmFlags(LogOnStderr.FLAG).args(mode);
        if (mode.startsWith("log")) {
            program.prefix(UNREAD_STDERR);
        }
        ChildProcess child = program.start();
        child.awaitLine("ready", LIMIT);
        return child;
    }

    @ParameterizedTest
    @ValueSource(strings = {"log", "telemetry"})
    void aSecondInterruptEndsAProcessWhoseReportsHang(String what) {
        try (ChildProcess child = start(what + " hangs, and a hook")) {
            child.send("INT");
            child.awaitLine("hook", LIMIT);
            child.send("INT");
            ChildExit exit = child.awaitExit(LIMIT);
            assertEquals(130, exit.code(), exit::toString);
        }
    }

    /** Neither keeps the other one from being told. */
    @ParameterizedTest
    @CsvSource({"log, 1, 0", "telemetry, 0, 1"})
    void aTerminationRunsTheWholeShutdownOfAProcessWhoseReportsHang(String what, int events, int records) {
        try (ChildProcess child = start(what + " hangs")) {
            child.send("TERM");
            ChildExit exit = child.awaitExit(LIMIT);
            assertEquals(143, exit.code(), exit::toString);
            assertEquals(List.of("ready", "hook", "last"), exit.stdout().subList(0, 3), exit::toString);
            assertEquals(events, ending(exit.stdout(), "the shutdown is over").size(), exit::toString);
            assertEquals(records, ending(exit.stderr(), "The shutdown begins").size(), exit::toString);
        }
    }

    private static List<String> ending(List<String> lines, String end) {
        return lines.stream().filter(line -> line.endsWith(end)).toList();
    }

    @Test
    void anErrorOfTheTelemetryEndsNothing() {
        try (ChildProcess child = start("telemetry throws")) {
            child.send("TERM");
            ChildExit exit = child.awaitExit(LIMIT);
            assertEquals(143, exit.code(), exit::toString);
            assertEquals(
                    2,
                    exit.stderr().stream()
                            .filter(line -> line.contains("The telemetry hook has failed"))
                            .count(),
                    exit::toString);
        }
    }

    /** Each is told by another thread: the loop, that of the handlers, that of the shutdown, the loop again. */
    @Test
    void allRecordsOfAShutdownAreOutBeforeTheProcessLeavesAndInOrder() {
        try (ChildProcess child = start("handler and hook throw")) {
            child.send("USR1");
            // The handler prints first, and throws then.
            child.awaitLine(Pattern.compile("A signal handler has failed"), LIMIT);
            child.send("TERM");
            ChildExit exit = child.awaitExit(LIMIT);
            assertEquals(143, exit.code(), exit::toString);
            assertEquals(
                    List.of(
                            "INFO A signal came",
                            "ERROR A signal handler has failed; the others are called",
                            "INFO A signal came",
                            "INFO The shutdown begins",
                            "ERROR A shutdown hook has failed; the shutdown goes on"),
                    exit.stderr().stream()
                            .filter(line -> line.matches("[A-Z]+ .*"))
                            .map(line -> line.replaceAll("[a-z_]+=[^ ]+ |, java.*", ""))
                            .toList(),
                    exit::toString);
        }
    }

    /** The VM leaves when its hook has returned, and once did so before the end was told. */
    // r[verify life.shutdown]
    @ParameterizedTest
    @CsvSource({"exits, 3", "throws, 1"})
    void theEndOfAShutdownIsToldAlsoWhereTheProgramEndsByItself(String mode, int code) {
        for (int i = 0; i < 2; i++) {
            try (ChildProcess child = start(mode)) {
                ChildExit exit = child.awaitExit(LIMIT);
                assertEquals(code, exit.code(), exit::toString);
                assertEquals(
                        List.of("ready", "hook", "last", "told: the shutdown is over"), exit.stdout(), exit::toString);
            }
        }
    }

    /** Such a hook may close the registry where a telemetry counts. */
    @Test
    void theEndOfAShutdownIsToldBeforeHooksOfOthersRun() {
        try (ChildProcess child = start("foreign hook")) {
            child.send("TERM");
            ChildExit exit = child.awaitExit(LIMIT);
            assertEquals(143, exit.code(), exit::toString);
            assertEquals(
                    List.of("ready", "hook", "last", "told: the shutdown is over", "hook of another library"),
                    exit.stdout(),
                    exit::toString);
        }
    }

    /** A service whose mode is named. */
    static final class Service {
        private static final Duration HOUR = Duration.ofHours(1);

        public static void main(String[] args) throws Exception {
            String mode = args[0];
            Lifecycle lifecycle = Lifecycle.builder()
                    .timeout(HOUR)
                    .doubleTapWindow(HOUR)
                    .telemetry((event, tags) -> emit(mode, event))
                    .build();
            lifecycle.onShutdown("last", () -> System.out.println("last"));
            lifecycle.onShutdown("hook", () -> {
                System.out.println("hook");
                if (mode.endsWith("and a hook")) {
                    hang();
                } else if (mode.startsWith("handler and hook")) {
                    throw new IllegalStateException("as this test wants it");
                }
            });
            if (mode.startsWith("handler")) {
                lifecycle.handle(dev.carillon.Signal.SIGUSR1, info -> {
                    System.out.println("handler");
                    throw new IllegalStateException("as this test wants it");
                });
            }
            if (mode.equals("foreign hook")) {
                Runtime.getRuntime().addShutdownHook(new Thread(() -> System.out.println("hook of another library")));
            }
            lifecycle.start();
            if (mode.startsWith("log")) {
                fillStandardError();
            }
            System.out.println("ready");
            switch (mode) {
                case "exits" -> System.exit(3);
                case "throws" -> throw new IllegalStateException("as this test wants it");
                default -> hang();
            }
        }

        /** By another process, which does not block there. */
        private static void fillStandardError() throws Exception {
            String pipe = "/proc/" + ProcessHandle.current().pid() + "/fd/2";
            new ProcessBuilder("dd", "if=/dev/zero", "of=" + pipe, "oflag=nonblock", "bs=65536", "count=64")
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start()
                    .waitFor();
        }

        private static void emit(String mode, String event) {
            if (mode.startsWith("telemetry hangs")) {
                hang();
            } else if (mode.equals("telemetry throws")) {
                throw new AssertionError("as this test wants it");
            } else if (event.equals(Telemetry.SHUTDOWN)) {
                takeAWhile();
                System.out.println("told: the shutdown is over");
            }
        }

        /** As a telemetry does that speaks to the network. */
        private static void takeAWhile() {
            try {
                assertTrue(!new CountDownLatch(1).await(50, TimeUnit.MILLISECONDS));
            } catch (InterruptedException ended) {
                Thread.currentThread().interrupt();
            }
        }

        private static void hang() {
            while (true) {
                try {
                    new CountDownLatch(1).await();
                } catch (InterruptedException goOnHanging) {
                    Thread.onSpinWait();
                }
            }
        }
    }
}

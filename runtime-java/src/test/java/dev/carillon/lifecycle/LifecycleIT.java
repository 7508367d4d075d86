package dev.carillon.lifecycle;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.Signal;
import dev.carillon.SignalInfo;
import dev.carillon.loop.EventLoop;
import dev.carillon.signal.SignalService;
import dev.carillon.test.ChildExit;
import dev.carillon.test.ChildJvm;
import dev.carillon.test.ChildProcess;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What signals do to a program with a lifecycle: real processes, real signals, real exit codes. */
// r[verify life.real] r[verify life.shutdown] r[verify life.double-tap] r[verify life.reload] r[verify life.quit]
final class LifecycleIT {
    private static final Duration LIMIT = Duration.ofSeconds(60);

    private static ChildProcess start(String mode) {
        return started(ChildJvm.of(Service.class).args(mode));
    }

    private static ChildProcess started(ChildJvm program) {
        ChildProcess child = program.start();
        child.awaitLine("ready", LIMIT);
        return child;
    }

    @ParameterizedTest
    @ValueSource(strings = {"forwarder", "jvm"})
    void aTerminationRunsTheShutdownAndTheHooksOfOthersAndExitsWith143(String capture) {
        try (ChildProcess child = started(ChildJvm.of(Service.class)
                .vmFlags("-Dcarillon.signals=" + capture)
                .args("plain"))) {
            child.send("TERM");
            ChildExit exit = child.awaitExit(LIMIT);
            assertEquals(143, exit.code(), exit::toString);
            assertEquals(
                    List.of("ready", "stop", "drain", "2", "1", "hook of another library"),
                    exit.stdout(),
                    exit::toString);
        }
    }

    @ParameterizedTest
    @CsvSource({"TERM, 143", "INT, 130"})
    void aHookThatHangsIsCutAndTheExitCodeStays(String signal, int code) {
        try (ChildProcess child = start("hangs shortly")) {
            child.send(signal);
            ChildExit exit = child.awaitExit(LIMIT);
            assertEquals(code, exit.code(), exit::toString);
            assertTrue(exit.stdout().contains("hook of another library"), exit::toString);
            assertTrue(
                    exit.stderr().stream().anyMatch(line -> line.contains("undone=hangs, never run")), exit::toString);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"hangs", "spins"})
    void twoInterruptsEndAProcessAtOnceWhateverHangs(String mode) {
        try (ChildProcess child = start(mode)) {
            child.send("INT");
            child.awaitLine("hanging", LIMIT);
            // The end by force waits for the hint, but not for long.
            child.awaitLine("Press Ctrl+C again", LIMIT);
            child.send("INT");
            ChildExit exit = child.awaitExit(LIMIT);
            assertEquals(130, exit.code(), exit::toString);
            assertTrue(exit.stderr().contains("Press Ctrl+C again within 3600s to force quit"), exit::toString);
            assertTrue(!exit.stdout().contains("hook of another library"), exit::toString);
        }
    }

    // r[verify loop.through-exit]
    @Test
    void twoInterruptsEndAProcessAlsoWhileTheVmExits() {
        try (ChildProcess child = start("foreign hook hangs")) {
            child.send("INT");
            child.awaitLine("foreign hook hangs", LIMIT);
            child.send("INT");
            ChildExit exit = child.awaitExit(LIMIT);
            assertEquals(130, exit.code(), exit::toString);
        }
    }

    @Test
    void hooksOfOthersThatHangAreCutByTheWatchdog() {
        try (ChildProcess child = start("foreign hook hangs shortly")) {
            child.send("TERM");
            ChildExit exit = child.awaitExit(LIMIT);
            assertEquals(143, exit.code(), exit::toString);
            assertTrue(exit.stdout().contains("foreign hook hangs"), exit::toString);
        }
    }

    @Test
    void aGoodConfigurationLeavesWith129AfterTheShutdown() {
        try (ChildProcess child = start("reloads good")) {
            child.send("HUP");
            ChildExit exit = child.awaitExit(LIMIT);
            assertEquals(129, exit.code(), exit::toString);
            assertTrue(exit.stdout().containsAll(List.of("validated", "2", "1")), exit::toString);
        }
    }

    @Test
    void aBadConfigurationIsRefusedAndATerminationWorksAfterwards() {
        try (ChildProcess child = start("reloads bad")) {
            child.send("HUP");
            child.awaitLine("refused 1", LIMIT);
            child.send("HUP");
            child.awaitLine("refused 2", LIMIT);
            child.send("TERM");
            ChildExit exit = child.awaitExit(LIMIT);
            assertEquals(143, exit.code(), exit::toString);
        }
    }

    @Test
    void aHandledQuitLeavesWith131WithoutAShutdown() {
        try (ChildProcess child = start("quits")) {
            child.send("QUIT");
            ChildExit exit = child.awaitExit(LIMIT);
            assertEquals(131, exit.code(), exit::toString);
            assertEquals(List.of("ready", "quit"), exit.stdout(), exit::toString);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "exits from main, 7",
        "exits from a handler, 8",
        "exits from a loop, 9",
        "exits by the door, 10",
        "exits from a validator, 11",
        "returns, 0",
    })
    void howeverAProgramEndsItsShutdownRunsOnce(String mode, int code) {
        try (ChildProcess child = start(mode)) {
            if (mode.contains("handler")) {
                child.send("USR1");
            } else if (mode.contains("validator")) {
                child.send("HUP");
            } else {
                child.writeLine("go on");
            }
            ChildExit exit = child.awaitExit(LIMIT);
            assertEquals(code, exit.code(), exit::toString);
            List<String> ours =
                    exit.stdout().stream().filter(line -> line.length() <= 5).toList();
            assertEquals(List.of("ready", "stop", "drain", "2", "1"), ours, exit::toString);
        }
    }

    // r[verify life.cancellation]
    @ParameterizedTest
    @ValueSource(strings = {"hook exits", "exits when it is told"})
    void aHookThatCallsExitHoldsUpNothing(String mode) {
        try (ChildProcess child = start(mode)) {
            child.send("TERM");
            ChildExit exit = child.awaitExit(LIMIT);
            assertTrue(exit.stdout().containsAll(List.of("2", "1")), exit::toString);
            assertTrue(
                    exit.stderr().stream().anyMatch(line -> line.contains("has called System.exit")), exit::toString);
        }
    }

    @Test
    void anUnhandledUserSignalEndsTheProcessAsEver() {
        try (ChildProcess child = start("plain")) {
            child.send("USR1");
            ChildExit exit = child.awaitExit(LIMIT);
            assertEquals(128 + 10, exit.code(), exit::toString);
            assertTrue(!exit.stdout().contains("stop"), exit::toString);
        }
    }

    // r[verify signal.lend] r[verify signal.takeover] r[verify life.own-loop]
    @ParameterizedTest
    @CsvSource({
        "waits before, forwarder",
        "waits before, jvm",
        "waits after, forwarder",
        "waits after, jvm",
        "subscribes before, forwarder",
        "subscribes after, forwarder",
    })
    void whoWaitsForTermGetsACopyAndTheShutdownRuns(String mode, String capture) {
        try (ChildProcess child = started(ChildJvm.of(Service.class)
                .vmFlags("-Dcarillon.signals=" + capture)
                .args(mode))) {
            child.send("TERM");
            ChildExit exit = child.awaitExit(LIMIT);
            assertEquals(143, exit.code(), exit::toString);
            assertTrue(exit.stdout().contains("waiter got SIGTERM"), exit::toString);
            assertTrue(exit.stdout().containsAll(List.of("stop", "drain", "2", "1")), exit::toString);
        }
    }

    @Test
    void afterACloseTheWaitHasTheSignalForItself() {
        try (ChildProcess child = start("closes")) {
            child.send("TERM");
            child.awaitLine("waiter got SIGTERM", LIMIT);
            ChildExit exit = child.awaitExit(LIMIT);
            assertEquals(0, exit.code(), exit::toString);
            assertTrue(!exit.stdout().contains("stop"), exit::toString);
        }
    }

    /** A service, in the way that is named. */
    static final class Service {
        private static final Duration HOUR = Duration.ofHours(1);
        private static int refused;

        public static void main(String[] args) throws Exception {
            String mode = args[0];
            if (!mode.startsWith("returns")) {
                Runtime.getRuntime().addShutdownHook(new Thread(() -> foreignHook(mode)));
            }
            LifecycleBuilder builder = Lifecycle.builder().doubleTapWindow(HOUR);
            if (mode.equals("hangs shortly")) {
                builder.timeout(Duration.ofSeconds(1));
            } else {
                builder.timeout(HOUR);
            }
            builder.haltAfter(mode.equals("foreign hook hangs shortly") ? Duration.ofSeconds(1) : HOUR);
            Lifecycle lifecycle = builder.build();
            CountDownLatch waited = new CountDownLatch(1);
            if (mode.endsWith("before") || mode.equals("closes")) {
                await(mode, waited, lifecycle);
            }
            register(lifecycle, mode);
            lifecycle.start();
            if (mode.endsWith("after")) {
                await(mode, waited, lifecycle);
            }
            if (mode.equals("closes")) {
                lifecycle.close();
                SignalService.shared()
                        .prepare(dev.carillon.SignalSet.of(Signal.SIGTERM))
                        .join();
            }
            System.out.println("ready");
            switch (mode) {
                case "exits from main" -> {
                    System.in.read();
                    System.exit(7);
                }
                case "exits from a loop" -> {
                    System.in.read();
                    EventLoop.shared().execute(() -> System.exit(9));
                }
                case "exits by the door" -> {
                    System.in.read();
                    lifecycle.exit(10);
                    lifecycle.exit(11);
                }
                case "returns" -> {
                    System.in.read();
                    return;
                }
                case "closes" -> {
                    waited.await();
                    return;
                }
                case "spins" -> EventLoop.shared().execute(Service::spin);
                default -> {}
            }
            new CountDownLatch(1).await();
        }

        private static void foreignHook(String mode) {
            if (mode.startsWith("foreign hook hangs")) {
                System.out.println("foreign hook hangs");
                hang();
            }
            System.out.println("hook of another library");
        }

        private static void register(Lifecycle lifecycle, String mode) {
            lifecycle.onShutdown("1", () -> System.out.println("1"));
            lifecycle.onShutdown("2", () -> System.out.println("2"));
            lifecycle.onDrain("drain", () -> System.out.println("drain"));
            lifecycle.onStopAccepting("stop", () -> System.out.println("stop"));
            if (mode.startsWith("hangs") || mode.equals("spins")) {
                lifecycle.onShutdown("never run", () -> System.out.println("never run"));
                lifecycle.onShutdown("hangs", () -> {
                    System.out.println("hanging");
                    hang();
                });
            } else if (mode.startsWith("reloads")) {
                lifecycle.onReload("configuration", () -> validate(mode));
            } else if (mode.equals("quits")) {
                lifecycle.handle(Signal.SIGQUIT, info -> System.out.println("quit"));
            } else if (mode.equals("exits from a handler")) {
                lifecycle.handle(Signal.SIGUSR1, info -> System.exit(8));
            } else if (mode.equals("exits from a validator")) {
                lifecycle.onReload("exits", () -> System.exit(11));
            } else if (mode.equals("hook exits")) {
                lifecycle.onShutdown("exits", () -> System.exit(5));
            } else if (mode.equals("exits when it is told")) {
                var unused = lifecycle.shutdownBegun().thenRun(() -> System.exit(5));
            }
        }

        private static void validate(String mode) {
            if (mode.endsWith("bad")) {
                System.out.println("refused " + ++refused);
                throw new IllegalArgumentException("bad, as this test wants it");
            }
            System.out.println("validated");
        }

        private static void await(String mode, CountDownLatch waited, Lifecycle lifecycle) {
            SignalService service = SignalService.shared();
            lifecycle.onStopAccepting("the waiter", waited::await);
            var wait = mode.startsWith("subscribes")
                    ? service.subscribe(dev.carillon.SignalSet.of(Signal.SIGTERM))
                            .await()
                    : service.await(Signal.SIGTERM);
            service.prepare(dev.carillon.SignalSet.of(Signal.SIGTERM)).join();
            CompletableFuture<Void> told = wait.thenAccept((SignalInfo info) -> {
                System.out.println("waiter got " + info.signal());
                waited.countDown();
            });
            if (told.isDone()) {
                throw new AssertionError("nobody has sent it yet");
            }
        }

        private static void spin() {
            while (!Thread.currentThread().isInterrupted()) {
                Thread.onSpinWait();
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

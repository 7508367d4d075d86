package dev.carillon.lifecycle;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.test.ChildExit;
import dev.carillon.test.ChildJvm;
import dev.carillon.test.ChildProcess;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What comes between a shutdown and its exit: a close, other signals, hooks of others that hang. */
// r[verify life.real]
final class LifecycleEndIT {
    private static final Duration LIMIT = Duration.ofSeconds(60);

    private static ChildExit run(String mode, Consumer<ChildProcess> act) {
        try (ChildProcess child = ChildJvm.of(Service.class).args(mode).start()) {
            child.awaitLine("ready", LIMIT);
            act.accept(child);
            return child.awaitExit(LIMIT);
        }
    }

    // r[verify life.close]
    @ParameterizedTest
    @ValueSource(strings = {"a hook closes", "main closes"})
    void aLifecycleThatIsClosedInAShutdownStillExits(String mode) {
        ChildExit exit = run(mode, child -> child.send("TERM"));
        assertEquals(143, exit.code(), exit::toString);
        assertEquals(List.of("ready", "hook", "closed", "last"), exit.stdout(), exit::toString);
    }

    // r[verify life.close]
    @Test
    void afterACloseInAShutdownASecondInterruptStillEndsTheProcess() {
        ChildExit exit = run("a hook closes and hangs", child -> {
            child.send("INT");
            child.awaitLine("closed", LIMIT);
            child.send("INT");
        });
        assertEquals(130, exit.code(), exit::toString);
    }

    /** The main thread is the last one that keeps the VM alive. The kernel takes eight bits of a code. */
    // r[verify life.shutdown]
    @ParameterizedTest
    @CsvSource({"3, 3", "0, 0", "255, 255", "-1, 255", "256, 0"})
    void aMainThatAsksForTheExitAndReturnsLeavesWithItsCode(String asked, int code) {
        for (int i = 0; i < 3; i++) {
            ChildExit exit = ChildJvm.of(Asks.class).args(asked).run(LIMIT);
            assertEquals(code, exit.code(), exit::toString);
            assertEquals(List.of("hook"), exit.stdout(), exit::toString);
        }
    }

    static final class Asks {
        public static void main(String[] args) {
            Lifecycle lifecycle = Lifecycle.builder().build();
            lifecycle.onShutdown("hook", () -> System.out.println("hook"));
            lifecycle.start();
            lifecycle.exit(Integer.parseInt(args[0]));
        }
    }

    // r[verify life.shutdown]
    @ParameterizedTest
    @ValueSource(strings = {"exits", "returns"})
    void hooksOfOthersThatHangAreHaltedAlsoWhenTheProgramHasExited(String mode) {
        ChildExit exit = run(mode + " while a foreign hook hangs", child -> {});
        assertEquals(1, exit.code(), exit::toString);
        assertTrue(exit.stdout().containsAll(List.of("hook", "last")), exit::toString);
    }

    // r[verify life.intercept-little]
    @ParameterizedTest
    @CsvSource({"TERM, 143", "INT, 130"})
    void aHangUpThatNobodyHandlesDoesNotOvertakeAShutdown(String signal, int code) {
        ChildExit exit = run("hangs until a line", child -> {
            child.send(signal);
            child.awaitLine("hook", LIMIT);
            child.send("HUP");
            child.awaitLine("HUP came", LIMIT);
            child.writeLine("go on");
        });
        assertEquals(code, exit.code(), exit::toString);
        assertEquals("last", exit.stdout().get(exit.stdout().size() - 1), exit::toString);
    }

    /** A service whose hook does what is named. */
    static final class Service {
        private static final Duration HOUR = Duration.ofHours(1);

        public static void main(String[] args) throws Exception {
            String mode = args[0];
            CountDownLatch inHook = new CountDownLatch(1);
            CountDownLatch isClosed = new CountDownLatch(1);
            boolean foreignHangs = mode.endsWith("foreign hook hangs");
            if (mode.endsWith("hangs")) {
                Runtime.getRuntime().addShutdownHook(new Thread(Service::hang));
            }
            Lifecycle lifecycle = Lifecycle.builder()
                    .timeout(HOUR)
                    .doubleTapWindow(HOUR)
                    .haltAfter(foreignHangs ? Duration.ofSeconds(1) : HOUR)
                    .telemetry((event, tags) -> {
                        if (event.equals(Telemetry.RECEIVED) && "SIGHUP".equals(tags.get("signal"))) {
                            System.out.println("HUP came");
                        }
                    })
                    .build();
            lifecycle.onShutdown("last", () -> System.out.println("last"));
            lifecycle.onShutdown("hook", () -> {
                System.out.println("hook");
                inHook.countDown();
                if (mode.startsWith("a hook closes")) {
                    lifecycle.close();
                    System.out.println("closed");
                    if (mode.endsWith("hangs")) {
                        hang();
                    }
                } else if (mode.equals("main closes")) {
                    isClosed.await();
                } else if (mode.equals("hangs until a line")) {
                    System.in.read();
                }
            });
            lifecycle.start();
            System.out.println("ready");
            if (mode.startsWith("exits")) {
                System.exit(7);
            } else if (mode.equals("main closes")) {
                inHook.await();
                lifecycle.close();
                System.out.println("closed");
                isClosed.countDown();
            } else if (!mode.startsWith("returns")) {
                hang();
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

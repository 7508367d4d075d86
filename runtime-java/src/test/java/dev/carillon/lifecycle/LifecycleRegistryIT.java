package dev.carillon.lifecycle;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.Signal;
import dev.carillon.test.ChildExit;
import dev.carillon.test.ChildJvm;
import dev.carillon.test.ChildProcess;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is registered and taken back, and code of the program that fails: real signals and real exit codes. */
// r[verify life.real]
final class LifecycleRegistryIT {
    private static final Duration LIMIT = Duration.ofSeconds(60);

    private static ChildExit run(String mode, Consumer<ChildProcess> act) {
        try (ChildProcess child = ChildJvm.of(Service.class).args(mode).start()) {
            child.awaitLine("ready", LIMIT);
            act.accept(child);
            return child.awaitExit(LIMIT);
        }
    }

    private static void assertLogged(String part, ChildExit exit) {
        assertTrue(exit.stderr().stream().anyMatch(line -> line.contains(part)), exit::toString);
    }

    // r[verify life.register]
    @ParameterizedTest
    @CsvSource({"takes back 2, 13", "takes back 31, 2", "takes back 1122, 3", "takes back nothing, 123"})
    void handlersAreTakenBackInAnyOrder(String mode, String left) {
        ChildExit exit = run(mode, child -> {
            child.send("USR1");
            child.awaitLine("handled " + left.charAt(left.length() - 1), LIMIT);
            child.send("TERM");
        });
        assertEquals(143, exit.code(), exit::toString);
        assertEquals(
                left.chars().mapToObj(one -> "handled " + (char) one).toList(),
                exit.stdout().subList(1, exit.stdout().size() - 1),
                exit::toString);
        assertEquals("cleaned up", exit.stdout().get(exit.stdout().size() - 1), exit::toString);
    }

    // r[verify life.register] r[verify life.intercept-little]
    @Test
    void aSignalWhoseHandlersWereAllTakenBackDoesWhatItEverDid() {
        ChildExit exit = run("takes back 231", child -> child.send("USR1"));
        assertEquals(138, exit.code(), exit::toString);
        assertEquals(List.of("ready"), exit.stdout(), exit::toString);
    }

    @Test
    void aSecondOneIsRefusedWhileOneIsActiveAndStartsAfterItsClose() {
        ChildExit exit = run("second one", child -> child.send("TERM"));
        assertEquals(143, exit.code(), exit::toString);
        assertEquals(
                List.of(
                        "refused: another lifecycle is active, and a process can shut down only once; add to"
                                + " Lifecycle.active(), or close it first",
                        "ready",
                        "second cleaned up"),
                exit.stdout(),
                exit::toString);
    }

    // r[verify life.shutdown]
    @Test
    void theShutdownRunsOnceHoweverManyTerminationsCome() {
        ChildExit exit = run("hook waits for a line", child -> {
            for (int i = 1; i <= 4; i++) {
                child.send("TERM");
                child.awaitLine("TERM came " + i, LIMIT);
            }
            child.awaitLine("hook", LIMIT);
            child.writeLine("go on");
        });
        assertEquals(143, exit.code(), exit::toString);
        for (String once : List.of("hook", "cleaned up")) {
            assertEquals(1, exit.stdout().stream().filter(once::equals).count(), exit::toString);
        }
    }

    // r[verify life.register]
    @Test
    void aHandlerThatNeverReturnsHoldsUpNoShutdown() {
        ChildExit exit = run("handler of USR1 hangs", child -> {
            child.send("USR1");
            child.awaitLine("hanging", LIMIT);
            child.send("TERM");
        });
        assertEquals(143, exit.code(), exit::toString);
        assertTrue(exit.stdout().contains("cleaned up"), exit::toString);
    }

    // r[verify life.shutdown]
    @Test
    void aHandlerOfTheTerminationThatNeverReturnsIsCutAndNamed() {
        ChildExit exit = run("handler of TERM hangs", child -> child.send("TERM"));
        assertEquals(143, exit.code(), exit::toString);
        assertFalse(exit.stdout().contains("cleaned up"), exit::toString);
        assertLogged("undone=the handlers of the signal, clean up", exit);
    }

    @ParameterizedTest
    @CsvSource({"TERM, 143", "INT, 130"})
    void anExitHookThatThrowsDoesNotKeepTheProcess(String signal, int code) {
        ChildExit exit = run("exit hook throws", child -> child.send(signal));
        assertEquals(code, exit.code(), exit::toString);
        assertLogged("The exit hook has failed; the process is ended without it: exit_code=" + code, exit);
    }

    @Test
    void aHaltOfAnExitHookThatThrowsDoesNotKeepTheProcess() {
        ChildExit exit = run("exit hook throws and a hook hangs", child -> {
            child.send("INT");
            child.awaitLine("hanging", LIMIT);
            child.send("INT");
        });
        assertEquals(130, exit.code(), exit::toString);
    }

    // r[verify life.reload]
    @Test
    void aTerminationEndsAProcessWhoseValidatorHangs() {
        ChildExit exit = run("validator hangs", child -> {
            child.send("HUP");
            child.awaitLine("hanging", LIMIT);
            child.send("HUP");
            child.send("TERM");
        });
        assertEquals(143, exit.code(), exit::toString);
        assertTrue(exit.stdout().contains("cleaned up"), exit::toString);
    }

    // r[verify life.reload]
    @Test
    void whateverAValidatorThrowsTheThirdRefusalIsCriticalAndTheProcessGoesOn() {
        ChildExit exit = run("validator throws", child -> {
            for (int i = 1; i <= 3; i++) {
                child.send("HUP");
                child.awaitLine("refused " + i, LIMIT);
            }
            child.send("TERM");
        });
        assertEquals(143, exit.code(), exit::toString);
        assertLogged("severity=CRITICAL alert=config_reload_failures failures=3", exit);
    }

    /** A service, in the way that is named. */
    static final class Service {
        private static final Duration HOUR = Duration.ofHours(1);
        private static int refused;

        public static void main(String[] args) throws Exception {
            String mode = args[0];
            Lifecycle lifecycle = builder(mode).build();
            lifecycle.onShutdown("clean up", () -> System.out.println("cleaned up"));
            register(lifecycle, mode);
            lifecycle.start();
            if (mode.equals("second one")) {
                lifecycle = second(lifecycle);
            }
            System.out.println("ready");
            new CountDownLatch(1).await();
            lifecycle.close();
        }

        private static LifecycleBuilder builder(String mode) {
            Map<String, Integer> seen = new TreeMap<>();
            LifecycleBuilder builder = Lifecycle.builder()
                    .doubleTapWindow(HOUR)
                    .haltAfter(HOUR)
                    .timeout(mode.equals("handler of TERM hangs") ? Duration.ofSeconds(1) : HOUR)
                    .telemetry((event, tags) -> {
                        if (event.equals(Telemetry.RECEIVED) && "SIGTERM".equals(tags.get("signal"))) {
                            System.out.println("TERM came " + seen.merge(event, 1, Integer::sum));
                        } else if (event.equals(Telemetry.RELOAD_REFUSED)) {
                            System.out.println("refused " + tags.get("failures"));
                        }
                    });
            if (!mode.equals("hook waits for a line") && !mode.equals("validator throws")) {
                builder.telemetry(Telemetry.NONE);
            }
            if (mode.startsWith("exit hook throws")) {
                builder.exitHook(new Broken());
            }
            return builder;
        }

        private static void register(Lifecycle lifecycle, String mode) {
            if (mode.startsWith("takes back ")) {
                takeBack(lifecycle, mode.substring("takes back ".length()));
            } else if (mode.equals("hook waits for a line")) {
                lifecycle.onShutdown("hook", () -> {
                    System.out.println("hook");
                    System.in.read();
                });
            } else if (mode.equals("handler of USR1 hangs")) {
                lifecycle.handle(Signal.SIGUSR1, info -> hang());
            } else if (mode.equals("handler of TERM hangs")) {
                lifecycle.handle(Signal.SIGTERM, info -> hang());
            } else if (mode.endsWith("a hook hangs")) {
                lifecycle.onShutdown("hangs", Service::hang);
            } else if (mode.equals("validator hangs")) {
                lifecycle.onReload("configuration", Service::hang);
            } else if (mode.equals("validator throws")) {
                lifecycle.onReload("configuration", Service::refuse);
            }
        }

        /** Each one as often as it is named: a second time changes nothing. */
        private static void takeBack(Lifecycle lifecycle, String which) {
            Map<Integer, Registration> all = new TreeMap<>();
            for (int i = 1; i <= 3; i++) {
                String name = "handled " + i;
                all.put('0' + i, lifecycle.handle(Signal.SIGUSR1, info -> System.out.println(name)));
            }
            which.chars().filter(all::containsKey).mapToObj(all::get).forEach(Registration::close);
        }

        private static Lifecycle second(Lifecycle first) {
            Lifecycle second = builder("").build();
            second.onShutdown("clean up", () -> System.out.println("second cleaned up"));
            try {
                second.start();
            } catch (IllegalStateException refusal) {
                System.out.println("refused: " + refusal.getMessage());
            }
            first.close();
            return second.start();
        }

        private static void refuse() {
            if (++refused == 2) {
                throw new AssertionError("an error, as this test wants it");
            }
            throw new IllegalArgumentException("bad, as this test wants it");
        }

        private static void hang() {
            System.out.println("hanging");
            while (true) {
                try {
                    new CountDownLatch(1).await();
                } catch (InterruptedException goOnHanging) {
                    Thread.onSpinWait();
                }
            }
        }
    }

    /** An exit hook that cannot. */
    private static final class Broken implements ExitHook {
        @Override
        public void exit(int code) {
            throw new IllegalStateException("exit, broken as this test wants it");
        }

        @Override
        public void halt(int code) {
            throw new IllegalStateException("halt, broken as this test wants it");
        }
    }
}

package dev.carillon.lifecycle;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.Signal;
import dev.carillon.signal.LogOnStderr;
import dev.carillon.test.ChildExit;
import dev.carillon.test.ChildJvm;
import dev.carillon.test.ChildProcess;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Code of the program throws what it does not declare, as Kotlin does with any checked exception. */
// r[verify life.real]
final class LifecycleSneakyIT {
    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final int ATTEMPTS = 3;
    private static final String MARK = "as this test wants it";

    private static void assertLogged(String part, ChildExit exit) {
        assertTrue(isLogged(part, exit), exit::toString);
    }

    private static boolean isLogged(String part, ChildExit exit) {
        return exit.stderr().stream().anyMatch(line -> line.contains(part))
                && exit.stderr().stream().anyMatch(line -> line.contains(MARK));
    }

    // r[verify life.shutdown]
    @Test
    void anExitHookThatThrowsACheckedExceptionLeavesNevertheless() {
        try (ChildProcess child = start("exit")) {
            child.send("TERM");
            ChildExit exit = child.awaitExit(LIMIT);
            assertEquals(143, exit.code(), exit::toString);
            assertLogged("exit", exit);
        }
    }

    // r[verify life.double-tap]
    @Test
    void aHaltOfAnExitHookThatThrowsACheckedExceptionHaltsNevertheless() {
        ChildExit exit = halted();
        for (int i = 1; i < ATTEMPTS && !isLogged("exit", exit); i++) {
            exit = halted();
        }
        assertLogged("exit", exit);
    }

    /** A halt waits for the log very shortly: a machine that is busy elsewhere may be late now and then. */
    private static ChildExit halted() {
        try (ChildProcess child = start("halt")) {
            child.send("INT");
            child.awaitLine("hook", LIMIT);
            child.send("INT");
            ChildExit exit = child.awaitExit(LIMIT);
            assertEquals(130, exit.code(), exit::toString);
            return exit;
        }
    }

    // r[verify life.register] r[verify life.inject]
    @Test
    void anExecutorOfHandlersThatThrowsACheckedExceptionIsNamedAsTheCause() {
        try (ChildProcess child = start("executor")) {
            child.awaitLine("outcome 0", LIMIT);
            child.awaitLine(Pattern.compile(".*The executor of the handlers has refused.*"), LIMIT);
            child.send("TERM");
            ChildExit exit = child.awaitExit(LIMIT);
            assertEquals(143, exit.code(), exit::toString);
            assertLogged("has refused", exit);
        }
    }

    private static ChildProcess start(String what) {
        ChildProcess child =
                ChildJvm.of(Service.class).vmFlags(LogOnStderr.FLAG).args(what).start();
        child.awaitLine("ready", LIMIT);
        return child;
    }

    /** Throws where it is told to. */
    static final class Service {
        public static void main(String[] args) throws Exception {
            List<String> where = List.of(args);
            LifecycleBuilder builder = Lifecycle.builder()
                    .haltAfter(LIMIT)
                    .timeout(LIMIT)
                    .exitHook(new ExitHook() {
                        @Override
                        public void exit(int code) {
                            fail(where.contains("exit"));
                            System.exit(code);
                        }

                        @Override
                        public void halt(int code) {
                            fail(where.contains("halt"));
                            Runtime.getRuntime().halt(code);
                        }
                    });
            if (where.contains("executor")) {
                builder.handlerExecutor(task -> fail(true));
            }
            Lifecycle lifecycle = builder.build();
            lifecycle.handle(Signal.SIGUSR1, info -> System.out.println("handled"));
            lifecycle.onShutdown("hook", () -> {
                System.out.println("hook");
                if (where.contains("halt")) {
                    new CountDownLatch(1).await();
                }
            });
            lifecycle.start();
            System.out.println("ready");
            if (where.contains("executor")) {
                SignalOutcome outcome = lifecycle.injectForTest(Signal.SIGUSR1).get(30, TimeUnit.SECONDS);
                System.out.println("outcome " + outcome.handlers());
            }
            new CountDownLatch(1).await();
        }

        private static void fail(boolean isWanted) {
            if (isWanted) {
                throw Service.<RuntimeException>undeclared(new IOException(MARK));
            }
        }

        @SuppressWarnings("unchecked")
        private static <E extends Throwable> RuntimeException undeclared(Throwable thrown) throws E {
            throw (E) thrown;
        }
    }
}

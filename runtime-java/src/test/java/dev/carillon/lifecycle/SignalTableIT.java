package dev.carillon.lifecycle;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.Signal;
import dev.carillon.SignalInfo;
import dev.carillon.SignalSet;
import dev.carillon.loop.EventLoop;
import dev.carillon.loop.EventLoopOptions;
import dev.carillon.signal.SignalService;
import dev.carillon.signal.SignalWaiter;
import dev.carillon.test.ChildExit;
import dev.carillon.test.ChildJvm;
import dev.carillon.test.ChildProcess;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The table of who gets a signal, in docs/spec/lifecycle.md: each row in a real process, with a real TERM. The steps are done
 * in their order.
 */
// r[verify life.own-loop] r[verify signal.lend] r[verify signal.takeover]
final class SignalTableIT {
    private static final Duration LIMIT = Duration.ofSeconds(60);

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            lifecycle | shutdown
            wait lifecycle | shutdown, wait
            lifecycle wait | shutdown, wait
            subscription lifecycle | shutdown, subscription
            lifecycle subscription | shutdown, subscription
            wait younger-wait subscription lifecycle | shutdown, subscription, wait
            foreign lifecycle | shutdown
            foreign lifecycle wait subscription | shutdown, subscription, wait
            """)
    void theLifecycleGetsIt(String steps, String expected) {
        ChildExit exit = run(steps, "");
        assertEquals(143, exit.code(), exit::toString);
        assertEquals(List.of(expected.split(", ", -1)), got(exit), exit::toString);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            service lifecycle | SIGTERM belongs to SignalService[carillon-explicit, {SIGTERM}] | service | 0
            lifecycle service | SIGTERM belongs to SignalService[carillon-lifecycle, {SIGTERM}] | shutdown | 143
            foreign wait subscription lifecycle service | belongs to SignalService[carillon-lifecycle | shutdown, subscription, wait | 143
            foreign service wait lifecycle | belongs to SignalService[carillon-explicit | service | 0
            """)
    void whoeverComesSecondOfAnExplicitServiceAndALifecycleIsRefused(
            String steps, String refusal, String expected, int code) {
        ChildExit exit = run(steps, code == 0 ? expected : "");
        assertEquals(code, exit.code(), exit::toString);
        assertEquals(List.of(expected.split(", ", -1)), got(exit), exit::toString);
        assertTrue(
                exit.stdout().stream().anyMatch(line -> line.startsWith("refused: ") && line.contains(refusal)),
                exit::toString);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            lifecycle foreign | foreign
            foreign lifecycle close | foreign
            wait lifecycle close | wait
            """)
    void anotherOneGetsItAndTheLifecycleNothing(String steps, String expected) {
        ChildExit exit = run(steps, expected);
        assertEquals(0, exit.code(), exit::toString);
        assertEquals(List.of(expected), got(exit), exit::toString);
        assertEquals(steps.equals("lifecycle foreign"), exit.stdout().contains("displaced {SIGTERM}"), exit::toString);
    }

    @ParameterizedTest
    @CsvSource("lifecycle close")
    void withoutAnyoneTheProcessEndsAsEver(String steps) {
        ChildExit exit = run(steps, "");
        assertEquals(143, exit.code(), exit::toString);
        assertEquals(List.of(), got(exit), exit::toString);
    }

    /**
     * Does the steps, and sends a TERM.
     *
     * @param getter who gets it without an end of the process, which ends when it is told then
     */
    private static ChildExit run(String steps, String getter) {
        try (ChildProcess child =
                ChildJvm.of(Steps.class).args(steps.split(" ", -1)).start()) {
            child.awaitLine("ready", LIMIT);
            child.send("TERM");
            if (!getter.isEmpty()) {
                child.awaitLine("got it: " + getter, LIMIT);
                child.writeLine("end");
            }
            return child.awaitExit(LIMIT);
        }
    }

    private static List<String> got(ChildExit exit) {
        return exit.stdout().stream()
                .filter(line -> line.startsWith("got it: "))
                .map(line -> line.substring("got it: ".length()))
                .sorted()
                .toList();
    }

    /** Does what it is told, tells who gets the signal, and says "refused" where a step is. */
    static final class Steps {
        private static final SignalSet TERM = SignalSet.of(Signal.SIGTERM);
        private static final CountDownLatch NEVER = new CountDownLatch(1);

        public static void main(String[] steps) throws Exception {
            Lifecycle lifecycle = Lifecycle.builder().timeout(LIMIT).build();
            lifecycle.onStopAccepting("stop", () -> got("shutdown"));
            for (String step : steps) {
                switch (step) {
                    case "lifecycle" -> orRefused(lifecycle::start);
                    case "close" -> {
                        lifecycle.close();
                        awaitShared();
                    }
                    case "service" -> orRefused(Steps::attach);
                    case "foreign" -> install();
                    default -> {
                        CountDownLatch isServed = borrow(step);
                        lifecycle.onDrain(step, isServed::await);
                    }
                }
            }
            if (Lifecycle.active() != null) {
                System.out.println("displaced " + lifecycle.displaced());
            }
            System.out.println("ready");
            if (System.in.read() >= 0) {
                Runtime.getRuntime().halt(0);
            }
            NEVER.await();
        }

        /** What borrowed the signal has it for itself when its loop has come to that. */
        private static void awaitShared() {
            CompletableFuture<Boolean> turn = new CompletableFuture<>();
            EventLoop.shared().execute(() -> turn.complete(true));
            turn.join();
        }

        private static void got(String who) {
            System.out.println("got it: " + who);
        }

        private static void orRefused(Runnable step) {
            try {
                step.run();
            } catch (IllegalStateException refusal) {
                System.out.println("refused: " + refusal.getMessage());
            }
        }

        private static void attach() {
            EventLoop loop = EventLoop.open(
                            EventLoopOptions.builder().name("carillon-explicit").build())
                    .start();
            boolean isAttached = false;
            try {
                SignalService service = SignalService.attach(loop, TERM);
                service.start(new SignalWaiter(Signal.SIGTERM) {
                    @Override
                    protected void onSignal(SignalInfo info) {
                        got("service");
                    }

                    @Override
                    protected void onFailure(RuntimeException closed) {
                        throw closed;
                    }
                });
                isAttached = true;
            } finally {
                if (!isAttached) {
                    loop.close();
                }
            }
        }

        /** A wait that came first is the oldest; a younger one gets no copy of one signal, and nobody waits for it. */
        private static CountDownLatch borrow(String step) {
            CountDownLatch isServed = new CountDownLatch(step.equals("younger-wait") ? 0 : 1);
            SignalWaiter waiter = new SignalWaiter(Signal.SIGTERM) {
                @Override
                protected void onSignal(SignalInfo info) {
                    got(step);
                    isServed.countDown();
                }

                @Override
                protected void onFailure(RuntimeException refusal) {
                    System.out.println("refused: " + refusal.getMessage());
                    isServed.countDown();
                }
            };
            SignalService shared = SignalService.shared();
            orRefused(() -> {
                if (step.equals("subscription")) {
                    shared.subscribe(TERM).start(waiter);
                } else {
                    shared.start(waiter);
                }
                shared.prepare(TERM).join();
            });
            return isServed;
        }

        private static void install() {
            try {
                Class<?> signal = Class.forName("sun.misc.Signal");
                Class<?> handler = Class.forName("sun.misc.SignalHandler");
                Object ours = Proxy.newProxyInstance(
                        Steps.class.getClassLoader(), new Class<?>[] {handler}, (self, method, given) -> {
                            if (method.getName().equals("handle")) {
                                got("foreign");
                            }
                            return method.getReturnType() == boolean.class ? (Object) (self == given[0]) : null;
                        });
                signal.getMethod("handle", signal, handler)
                        .invoke(null, signal.getConstructor(String.class).newInstance("TERM"), ours);
            } catch (ReflectiveOperationException e) {
                throw new LinkageError("sun.misc.Signal is another one than expected", e);
            }
        }
    }
}

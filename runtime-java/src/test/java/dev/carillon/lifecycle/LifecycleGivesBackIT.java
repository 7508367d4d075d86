package dev.carillon.lifecycle;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.Signal;
import dev.carillon.signal.LogOnStderr;
import dev.carillon.signal.Signals;
import dev.carillon.test.ChildExit;
import dev.carillon.test.ChildJvm;
import dev.carillon.test.Deadline;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A signal that comes when a lifecycle is closed: it is the lifecycle's, or that of the process, and never nobody's. */
// r[verify life.close] r[verify signal.left-over] r[verify life.real]
final class LifecycleGivesBackIT {
    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final int PID = (int) ProcessHandle.current().pid();

    private static void assertQuiet(ChildExit exit) {
        assertTrue(
                exit.stderr().stream().noneMatch(line -> line.contains("ERROR") || line.contains("Exception")),
                exit::toString);
    }

    @ParameterizedTest
    @CsvSource({"forwarder, before", "forwarder, beside", "jvm, before", "jvm, beside"})
    void eachTerminationIsHeardByTheLifecycleOrByTheHandlerThatWasThereBefore(String capture, String when) {
        ChildExit exit = ChildJvm.of(Rounds.class)
                .vmFlags("-Dcarillon.signals=" + capture, LogOnStderr.FLAG)
                .args(when)
                .run(LIMIT);
        assertEquals(0, exit.code(), exit::toString);
        assertEquals(List.of("heard " + Rounds.ALL), exit.stdout(), exit::toString);
        assertQuiet(exit);
    }

    @ParameterizedTest
    @ValueSource(strings = {"forwarder", "jvm"})
    void aTerminationBeforeACloseEndsTheProcess(String capture) {
        for (int i = 0; i < 5; i++) {
            ChildExit exit = ChildJvm.of(ClosesAfterTerm.class)
                    .vmFlags("-Dcarillon.signals=" + capture, LogOnStderr.FLAG)
                    .run(LIMIT);
            assertEquals(143, exit.code(), exit::toString);
            assertQuiet(exit);
        }
    }

    /** The last handler is taken back when its signal has come: that is no failure. */
    @Test
    void aSignalWhoseHandlerIsTakenBackMeanwhileIsNoFailure() {
        ChildExit exit = ChildJvm.of(TakesBack.class).vmFlags(LogOnStderr.FLAG).run(LIMIT);
        assertEquals(0, exit.code(), exit::toString);
        assertEquals(List.of("over"), exit.stdout(), exit::toString);
        assertQuiet(exit);
    }

    /** By reflection, since the compiler has a warning for sun.misc.Signal. */
    private static void handle(String name, AtomicInteger heard) throws ReflectiveOperationException {
        Class<?> handler = Class.forName("sun.misc.SignalHandler");
        Class<?> signal = Class.forName("sun.misc.Signal");
        Object counting = Proxy.newProxyInstance(
                handler.getClassLoader(),
                new Class<?>[] {handler},
                (self, method, arguments) -> switch (method.getName()) {
                    case "equals" -> self == arguments[0];
                    case "hashCode" -> System.identityHashCode(self);
                    case "handle" -> heard.incrementAndGet() < 0 ? self : null;
                    default -> "counting";
                });
        signal.getMethod("handle", signal, handler)
                .invoke(null, signal.getConstructor(String.class).newInstance(name), counting);
    }

    private static void awaitHeard(AtomicInteger heard, int round) {
        if (!Deadline.after(Duration.ofSeconds(20)).poll(() -> heard.get() > round)) {
            System.out.println("round " + round + " is heard by nobody");
            Runtime.getRuntime().halt(1);
        }
    }

    /** Sends itself one TERM for each lifecycle. */
    static final class Rounds {
        static final int ALL = 100;

        public static void main(String[] args) throws Exception {
            AtomicInteger heard = new AtomicInteger();
            handle("TERM", heard);
            for (int round = 0; round < ALL; round++) {
                Lifecycle lifecycle =
                        Lifecycle.builder().exitHook(counting(heard)).build().start();
                if (args[0].equals("before")) {
                    Signals.send(PID, Signal.SIGTERM);
                    lifecycle.close();
                } else {
                    closeBesideTerm(lifecycle, round);
                }
                awaitHeard(heard, round);
                Deadline.after(LIMIT).await("the lifecycle is closed", () -> Lifecycle.active() == null);
            }
            System.out.println("heard " + heard);
        }

        private static ExitHook counting(AtomicInteger heard) {
            return new ExitHook() {
                @Override
                public void exit(int code) {
                    heard.incrementAndGet();
                }

                @Override
                public void halt(int code) {
                    heard.addAndGet(ALL);
                }
            };
        }

        private static void closeBesideTerm(Lifecycle lifecycle, int round) throws Exception {
            CyclicBarrier both = new CyclicBarrier(2);
            Thread sender = new Thread(() -> {
                try {
                    both.await();
                } catch (Exception broken) {
                    throw new IllegalStateException(broken);
                }
                Signals.send(PID, Signal.SIGTERM);
            });
            sender.start();
            both.await();
            for (int i = 0; i < round * 20; i++) {
                Thread.onSpinWait();
            }
            lifecycle.close();
            sender.join();
        }
    }

    /** Is closed when a TERM has just come. */
    static final class ClosesAfterTerm {
        public static void main(String[] args) throws Exception {
            Lifecycle lifecycle = Lifecycle.builder().build();
            lifecycle.onShutdown("hook", () -> System.out.println("hook"));
            lifecycle.start();
            Signals.send(PID, Signal.SIGTERM);
            lifecycle.close();
            new CountDownLatch(1).await();
        }
    }

    /** Takes the handler of a signal back when the signal has just come. */
    static final class TakesBack {
        public static void main(String[] args) throws Exception {
            AtomicInteger heard = new AtomicInteger();
            handle("USR2", heard);
            Lifecycle lifecycle = Lifecycle.builder().build().start();
            for (int round = 0; round < Rounds.ALL; round++) {
                Registration registration = lifecycle.handle(Signal.SIGUSR2, info -> heard.incrementAndGet());
                Signals.send(PID, Signal.SIGUSR2);
                registration.close();
            }
            lifecycle.close();
            System.out.println("over");
        }
    }
}

package dev.carillon.signal;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.carillon.Signal;
import dev.carillon.SignalInfo;
import dev.carillon.SignalSet;
import dev.carillon.loop.EventLoop;
import dev.carillon.sys.call.Sys;
import dev.carillon.test.ChildExit;
import dev.carillon.test.ChildJvm;
import dev.carillon.test.Deadline;
import dev.carillon.test.Jdk;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A signal that comes while a wait attaches it, or while the guard gives it back: one of the two handlers gets it. */
// r[verify signal.implicit] r[verify signal.unclaimed]
final class SignalAttachRaceIT {
    private static final Duration LIMIT = Duration.ofSeconds(100);
    private static final int ROUNDS = Boolean.getBoolean("carillon.stress") ? 20_000 : 1_000;

    static Stream<Jdk> jdks() {
        return SignalLaunchIT.jdks();
    }

    @ParameterizedTest
    @MethodSource("jdks")
    void eachComesToTheWaiterOrToWhoeverHadItBefore(Jdk jdk) {
        ChildExit exit = ChildJvm.of(Races.class)
                .jdk(jdk)
                .args(Long.toString(System.nanoTime()))
                .run(LIMIT);
        assertEquals(0, exit.code(), exit::toString);
        System.out.println(exit.stdout());
    }

    /** Another handler of the program has HUP before us. One HUP at a time is sent, and counted where it arrives. */
    static final class Races {
        private static final AtomicInteger BEFORE = new AtomicInteger();
        private static final AtomicInteger WAITED = new AtomicInteger();
        private static final AtomicReference<Throwable> FAILURE = new AtomicReference<>();

        public static void main(String[] args) throws Exception {
            SplittableRandom random = new SplittableRandom(Long.parseLong(args[0]));
            System.out.println("seed=" + args[0]);
            install();
            EventLoop loop = EventLoop.open().start();
            SignalService service = new SignalService(
                    loop,
                    SignalOptions.builder()
                            .unclaimedAfter(Duration.ofNanos(200_000))
                            .build(),
                    Sys::get,
                    true);
            Thread waits = new Thread(() -> waitAndGiveUp(service, random.split()));
            waits.setDaemon(true);
            waits.start();
            int sent = 0;
            // On a busy machine it may take longer until each of the two has had one.
            while (sent < ROUNDS || (!bothHad() && sent < 20 * ROUNDS)) {
                int expected = ++sent;
                if (!Signals.send((int) ProcessHandle.current().pid(), Signal.SIGHUP)) {
                    throw new AssertionError("not sent");
                }
                Deadline.after(Duration.ofSeconds(60))
                        .await(
                                "HUP " + expected + " came; " + service + " " + service.stats(),
                                () -> BEFORE.get() + WAITED.get() >= expected || FAILURE.get() != null);
                if (FAILURE.get() != null) {
                    throw new AssertionError("a wait failed", FAILURE.get());
                }
            }
            System.out.println("of " + sent + " the handler before had " + BEFORE + ", waiters " + WAITED);
            Runtime.getRuntime().halt(BEFORE.get() + WAITED.get() == sent && bothHad() ? 0 : 1);
        }

        private static boolean bothHad() {
            return BEFORE.get() > 0 && WAITED.get() > 0;
        }

        private static void waitAndGiveUp(SignalService service, SplittableRandom random) {
            while (true) {
                CompletableFuture<SignalInfo> wait = service.await(Signal.SIGHUP);
                CompletableFuture<SignalInfo> unused = wait.whenComplete((info, failure) -> {
                    if (info != null) {
                        WAITED.incrementAndGet();
                    } else if (!wait.isCancelled()) {
                        FAILURE.set(failure);
                    }
                });
                pause(random.nextInt(300_000));
                wait.cancel(false);
                pause(random.nextInt(600_000));
                if (random.nextInt(4) == 0) {
                    CompletableFuture<SignalSet> unusedToo = service.prepare(SignalSet.of(Signal.SIGHUP));
                }
            }
        }

        private static void pause(long nanos) {
            long until = System.nanoTime() + nanos;
            while (System.nanoTime() - until < 0) {
                Thread.onSpinWait();
            }
        }

        /** By reflection, since the compiler has a warning for sun.misc that nothing can switch off. */
        private static void install() throws ReflectiveOperationException {
            Class<?> handler = Class.forName("sun.misc.SignalHandler");
            Class<?> signal = Class.forName("sun.misc.Signal");
            Object counts = Proxy.newProxyInstance(
                    Races.class.getClassLoader(), new Class<?>[] {handler}, (self, method, arguments) -> {
                        if (method.getName().equals("handle")) {
                            BEFORE.incrementAndGet();
                        }
                        return null;
                    });
            signal.getMethod("handle", signal, handler)
                    .invoke(null, signal.getConstructor(String.class).newInstance("HUP"), counts);
        }
    }
}

package dev.carillon.signal;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.carillon.Signal;
import dev.carillon.SignalSet;
import dev.carillon.loop.EventLoop;
import dev.carillon.test.ChildExit;
import dev.carillon.test.ChildJvm;
import dev.carillon.test.ChildProcess;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What signals do once they are nobody's again. */
final class SignalEndIT {
    private static final Duration LIMIT = Duration.ofSeconds(60);

    // r[verify signal.exit-untouched] r[verify signal.detach]
    @ParameterizedTest
    @ValueSource(strings = {"forwarder", "jvm"})
    void afterClosingASignalDoesWhatItDidBefore(String capture) {
        try (ChildProcess child = ChildJvm.of(Closes.class)
                .vmFlags("-Dcarillon.signals=" + capture)
                .start()) {
            child.awaitLine("released", LIMIT);
            child.send("USR1");
            ChildExit exit = child.awaitExit(LIMIT);
            assertEquals(128 + 10, exit.code(), exit::toString);
        }
        try (ChildProcess child = ChildJvm.of(Closes.class)
                .vmFlags("-Dcarillon.signals=" + capture)
                .start()) {
            child.awaitLine("released", LIMIT);
            child.send("TERM");
            ChildExit exit = child.awaitExit(LIMIT);
            assertEquals(128 + 15, exit.code(), exit::toString);
            assertEquals("the VM's hooks run", exit.stdout().get(1));
        }
    }

    static final class Closes {
        public static void main(String[] args) throws InterruptedException {
            Runtime.getRuntime().addShutdownHook(new Thread(() -> System.out.println("the VM's hooks run")));
            EventLoop loop = EventLoop.open().start();
            SignalService service = SignalService.attach(loop, SignalSet.of(Signal.SIGUSR1, Signal.SIGTERM));
            service.release(Signal.SIGUSR1);
            service.close();
            System.out.println("released");
            new CompletableFuture<>()
                    .orTimeout(60, java.util.concurrent.TimeUnit.SECONDS)
                    .join();
        }
    }

    // r[verify signal.exit-untouched]
    @Test
    void whatIsNotAttachedEndsTheVmAsEver() {
        try (ChildProcess child =
                ChildJvm.of(SignalChild.class).args("1", "HUP").start()) {
            child.awaitLine("ready", LIMIT);
            child.send("TERM");
            assertEquals(128 + 15, child.awaitExit(LIMIT).code());
        }
    }

    // r[verify signal.unclaimed]
    @Test
    void aTermThatWasAttachedExplicitlyStaysPending() {
        try (ChildProcess child = ChildJvm.of(WaitsLate.class).start()) {
            child.awaitLine("ready", LIMIT);
            long sender = child.send("TERM");
            child.awaitLine("got SIGTERM from PROCESS " + sender, LIMIT);
            assertEquals(0, child.awaitExit(LIMIT).code());
        }
    }

    static final class WaitsLate {
        public static void main(String[] args) {
            try (EventLoop loop = EventLoop.open().start();
                    SignalService service = SignalService.attach(
                            loop,
                            SignalSet.of(Signal.SIGTERM),
                            SignalOptions.builder()
                                    .unclaimedAfter(Duration.ofMillis(1))
                                    .build())) {
                System.out.println("ready");
                CompletableFuture<?> later = new CompletableFuture<>();
                loop.schedule(Duration.ofSeconds(1), () -> later.complete(null));
                later.join();
                SignalChild.print(service.await(Signal.SIGTERM).join());
            }
        }
    }

    @Test
    void theSharedServiceAttachesOnFirstUseFromManyThreads() {
        try (ChildProcess child = ChildJvm.of(Shares.class).start()) {
            for (int i = 0; i < 8; i++) {
                child.awaitLine("got SIGUSR1 from PROCESS " + child.pid(), LIMIT);
            }
            child.awaitLine("got SIGHUP", LIMIT);
            assertEquals(0, child.awaitExit(LIMIT).code());
        }
    }

    static final class Shares {
        public static void main(String[] args) throws InterruptedException {
            int pid = (int) ProcessHandle.current().pid();
            Thread[] threads = new Thread[8];
            for (int i = 0; i < threads.length; i++) {
                threads[i] = new Thread(() -> {
                    SignalService.shared().prepare(SignalSet.of(Signal.SIGUSR1)).join();
                    CompletableFuture<?> wait =
                            SignalService.shared().await(Signal.SIGUSR1).thenAccept(SignalChild::print);
                    while (!wait.isDone()) {
                        Signals.send(pid, Signal.SIGUSR1);
                        Thread.onSpinWait();
                    }
                });
                threads[i].start();
            }
            for (Thread thread : threads) {
                thread.join();
            }
            // On a thread of another loop, which must not be stopped for long.
            try (EventLoop loop = EventLoop.open().start()) {
                CompletableFuture<CompletableFuture<Void>> printed = new CompletableFuture<>();
                SignalService shared = SignalService.shared();
                loop.execute(() -> {
                    CompletableFuture<?> unused = shared.prepare(SignalSet.of(Signal.SIGHUP))
                            .thenRun(() -> {
                                printed.complete(shared.await(Signal.SIGHUP).thenAccept(SignalChild::print));
                                Signals.send(pid, Signal.SIGHUP);
                            });
                });
                printed.join().join();
            }
            // Closing would give USR1 back, and one that is still on its way would end this process.
            Runtime.getRuntime().halt(0);
        }
    }
}

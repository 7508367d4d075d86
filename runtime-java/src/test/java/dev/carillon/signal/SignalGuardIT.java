package dev.carillon.signal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.Signal;
import dev.carillon.SignalInfo;
import dev.carillon.SignalSet;
import dev.carillon.loop.EventLoop;
import dev.carillon.sys.call.Sys;
import dev.carillon.test.ChildExit;
import dev.carillon.test.ChildJvm;
import dev.carillon.test.ChildProcess;
import java.time.Duration;
import java.util.Scanner;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** TERM, INT and HUP that a mere wait attached: who listens loses none, and none is lost when nobody does. */
// r[verify signal.unclaimed]
final class SignalGuardIT {
    private static final Duration LIMIT = Duration.ofSeconds(60);

    private static ChildProcess start(String... args) {
        return ChildJvm.of(Guarded.class).vmFlags(LogOnStderr.FLAG).args(args).start();
    }

    @ParameterizedTest
    @CsvSource({"TERM, 15", "INT, 2", "HUP, 1"})
    void whatComesAfterACancelledWaitEndsTheProcessAfterAllAndAWarningSaysSo(String signal, int number) {
        try (ChildProcess child = start(signal, "cancelled")) {
            child.awaitLine("ready", LIMIT);
            child.send(signal);
            ChildExit exit = child.awaitExit(LIMIT);
            assertEquals(128 + number, exit.code(), exit::toString);
            assertTrue(
                    exit.stderr().stream()
                            .anyMatch(line -> line.startsWith("WARN SIG" + signal + " came")
                                    && line.contains("released and raised again")
                                    && line.contains("SignalService.attach")),
                    exit::toString);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"timed out", "claim closed"})
    void howeverItWasGivenUp(String way) {
        try (ChildProcess child = start("TERM", way)) {
            child.awaitLine("ready", LIMIT);
            child.send("TERM");
            ChildExit exit = child.awaitExit(LIMIT);
            assertEquals(128 + 15, exit.code(), exit::toString);
        }
    }

    /** The signal is the child's own, so it can end before anything else could be sent to it. */
    @Test
    void whatAWaitHasGivenBackEndsTheProcessAfterAll() {
        try (ChildProcess child = start("TERM", "given back")) {
            ChildExit exit = child.awaitExit(LIMIT);
            assertEquals(128 + 15, exit.code(), exit::toString);
            assertTrue(exit.stderr().stream().anyMatch(line -> line.startsWith("WARN SIGTERM came")), exit::toString);
        }
    }

    /** The guard is an alarm of one millisecond here: by the time that the child looks, it would have struck. */
    @ParameterizedTest
    @CsvSource({
        "HUP, reloads",
        "TERM, reloads",
        "INT, reloads",
        "TERM, any",
        "TERM, claim open",
        "TERM, claim fulfilled",
    })
    void aSecondOneThatComesWhileTheFirstIsWorkedOnIsKept(String signal, String way) {
        try (ChildProcess child = start(signal, way)) {
            child.awaitLine("got SIG" + signal, LIMIT);
            child.send(signal);
            child.awaitLine("pending for long", LIMIT);
            child.writeLine("go on");
            child.awaitLine("second SIG" + signal, LIMIT);
            ChildExit exit = child.awaitExit(LIMIT);
            assertEquals(0, exit.code(), exit::toString);
            assertTrue(exit.stderr().stream().noneMatch(line -> line.startsWith("WARN")), exit::toString);
        }
    }

    /** Wants one signal, in the way that is named. */
    static final class Guarded {
        private static final SignalOptions OPTIONS =
                SignalOptions.builder().unclaimedAfter(Duration.ofMillis(1)).build();

        public static void main(String[] args) throws Exception {
            Signal signal = Signal.named(args[0]);
            EventLoop loop = EventLoop.open().start();
            SignalService service = new SignalService(loop, OPTIONS, Sys::get, true);
            service.prepare(SignalSet.of(signal)).join();
            switch (args[1]) {
                case "cancelled" -> service.await(signal).cancel(false);
                case "timed out" -> service.await(signal, Duration.ZERO).join();
                case "given back" -> giveBack(service, signal);
                case "claim closed" -> closeClaim(service, signal);
                default -> {
                    work(loop, service, signal, args[1]);
                    return;
                }
            }
            awaitLoop(loop);
            System.out.println("ready");
            new CompletableFuture<>().orTimeout(60, TimeUnit.SECONDS).join();
        }

        private static void awaitLoop(EventLoop loop) {
            CompletableFuture<Boolean> come = new CompletableFuture<>();
            loop.execute(() -> come.complete(true));
            come.join();
        }

        private static void giveBack(SignalService service, Signal signal) {
            CompletableFuture<Boolean> isBack = new CompletableFuture<>();
            service.start(new SignalWaiter(signal) {
                @Override
                protected void onSignal(SignalInfo info) {
                    giveBack();
                    isBack.complete(true);
                }

                @Override
                protected void onFailure(RuntimeException cause) {}
            });
            Signals.send((int) ProcessHandle.current().pid(), signal);
            isBack.join();
        }

        /** As a collection whose scope is gone while it works on what it got. */
        private static void closeClaim(SignalService service, Signal signal) {
            SignalClaim claim = service.claim(SignalSet.of(signal));
            CompletableFuture<SignalInfo> wait = service.await(signal);
            Signals.send((int) ProcessHandle.current().pid(), signal);
            wait.join();
            claim.close();
        }

        private static void work(EventLoop loop, SignalService service, Signal signal, String way) throws Exception {
            SignalSet wanted = way.equals("any") ? SignalSet.of(signal, Signal.SIGUSR1) : SignalSet.of(signal);
            SignalClaim claim = way.startsWith("claim") ? service.claim(wanted) : null;
            CompletableFuture<SignalInfo> first = service.awaitAny(wanted);
            Signals.send((int) ProcessHandle.current().pid(), signal);
            SignalInfo got = first.join();
            if (way.equals("claim open")) {
                // Another one that is given up does not matter while somebody listens.
                service.await(signal, Duration.ZERO).join();
            } else if (claim != null) {
                claim.fulfil();
            }
            SignalChild.print(got);
            while (service.stats().pending() == 0) {
                Thread.onSpinWait();
            }
            CompletableFuture<Boolean> later = new CompletableFuture<>();
            loop.schedule(Duration.ofMillis(200), () -> later.complete(true));
            later.join();
            System.out.println("pending for long");
            new Scanner(System.in, java.nio.charset.StandardCharsets.US_ASCII).nextLine();
            System.out.println("second " + service.await(signal).join().signal());
            Runtime.getRuntime().halt(0);
        }
    }
}

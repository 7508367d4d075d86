package dev.carillon.signal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.Signal;
import dev.carillon.SignalSet;
import dev.carillon.loop.EventLoop;
import dev.carillon.test.ChildExit;
import dev.carillon.test.ChildJvm;
import dev.carillon.test.ChildProcess;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Scanner;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Who waits for a signal that the process ignores is told so. */
// r[verify signal.ignored]
final class SignalIgnoredIT {
    private static final Duration LIMIT = Duration.ofSeconds(60);

    @ParameterizedTest
    @CsvSource({"forwarder, shared", "forwarder, attach", "jvm, shared", "jvm, attach"})
    void oneWarningSaysThatAnIgnoredSignalIsAwaitedInVainAndWhatToDo(String capture, String way) {
        try (ChildProcess child = start("-Dcarillon.signals=" + capture, way)) {
            child.awaitLine("ready {}", LIMIT);
            child.send("HUP");
            child.writeLine("end");
            ChildExit exit = child.awaitExit(LIMIT);
            assertEquals(0, exit.code(), exit::toString);
            assertEquals(
                    1,
                    exit.stderr().stream()
                            .filter(line -> line.startsWith("WARN {SIGHUP} was ignored")
                                    && line.contains("-Dcarillon.signals.evenIgnored=true")
                                    && line.contains("SignalOptions.evenIgnored(true)"))
                            .count(),
                    exit::toString);
            assertTrue(exit.stdout().stream().noneMatch(line -> line.startsWith("got")), exit::toString);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"shared", "attach"})
    void aPropertyHasItAttachedNevertheless(String way) {
        try (ChildProcess child = start("-Dcarillon.signals.evenIgnored=true", way)) {
            child.awaitLine("ready {SIGHUP}", LIMIT);
            child.send("HUP");
            child.awaitLine("got SIGHUP", LIMIT);
            child.writeLine("end");
            ChildExit exit = child.awaitExit(LIMIT);
            assertEquals(0, exit.code(), exit::toString);
            assertTrue(exit.stderr().stream().noneMatch(line -> line.startsWith("WARN")), exit::toString);
        }
    }

    private static ChildProcess start(String flag, String way) {
        return ChildJvm.of(Waits.class)
                .ignoreSignals("HUP")
                .vmFlags(LogOnStderr.FLAG, flag)
                .args(way)
                .start();
    }

    /** Waits for HUP twice, until it reads a line. */
    static final class Waits {
        public static void main(String[] args) {
            SignalSet hup = SignalSet.of(Signal.SIGHUP);
            SignalService service = args[0].equals("shared")
                    ? SignalService.shared()
                    : SignalService.attach(EventLoop.open().start(), hup);
            CompletableFuture<Void> first = service.await(Signal.SIGHUP).thenAccept(SignalChild::print);
            CompletableFuture<Void> second = service.await(Signal.SIGHUP).thenAccept(SignalChild::print);
            // Comes after the waits, on the loop.
            System.out.println("ready " + service.prepare(hup).join() + first.isDone() + second.isDone());
            new Scanner(System.in, StandardCharsets.US_ASCII).nextLine();
            Runtime.getRuntime().halt(0);
        }
    }
}

package dev.carillon.signal;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.carillon.Signal;
import dev.carillon.SignalSet;
import dev.carillon.loop.EventLoop;
import dev.carillon.test.ChildCommand;
import dev.carillon.test.ChildExit;
import dev.carillon.test.ChildJvm;
import dev.carillon.test.ChildProcess;
import dev.carillon.test.Jdk;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Children of a process that has signals attached. */
// r[verify signal.fork]
final class SignalForkIT {
    private static final Duration LIMIT = Duration.ofSeconds(60);

    static Stream<Jdk> jdks() {
        return SignalLaunchIT.jdks();
    }

    @ParameterizedTest
    @MethodSource("jdks")
    void childrenInheritNoMaskAndDieOfTheirOwnSignals(Jdk jdk) {
        try (ChildProcess child = ChildJvm.of(Spawns.class).jdk(jdk).start()) {
            ChildExit exit = child.awaitExit(LIMIT);
            assertEquals(0, exit.code(), exit::toString);
            exit.assertPrinted("a child ended by TERM: 143, records here: 0");
            exit.assertPrinted("attached and blocked in a child of main: 0");
            exit.assertPrinted("attached and blocked in a child of the loop: 0");
            exit.assertPrinted("more is blocked in a child than without us: 0");
        }
    }

    static final class Spawns {
        public static void main(String[] args) throws Exception {
            long without = blockedInChild();
            SignalSet signals = SignalSet.of(Signal.SIGTERM, Signal.SIGINT, Signal.SIGUSR1, Signal.SIGUSR2);
            try (EventLoop loop = EventLoop.open().start();
                    SignalService service = SignalService.attach(loop, signals)) {
                long ofMain = blockedInChild();
                CompletableFuture<Long> onLoop = new CompletableFuture<>();
                loop.execute(() -> {
                    try {
                        onLoop.complete(blockedInChild());
                    } catch (IOException | InterruptedException e) {
                        onLoop.completeExceptionally(e);
                    }
                });
                long ofLoop = onLoop.get(30, TimeUnit.SECONDS);
                System.out.println("attached and blocked in a child of main: " + (ofMain & signals.toBits()));
                System.out.println("attached and blocked in a child of the loop: " + (ofLoop & signals.toBits()));
                System.out.println("more is blocked in a child than without us: " + (ofMain & ~without));
                Process sleeper = new ProcessBuilder("sleep", "60").start();
                Signals.send((int) sleeper.pid(), Signal.SIGTERM);
                sleeper.waitFor(30, TimeUnit.SECONDS);
                System.out.println("a child ended by TERM: " + sleeper.exitValue() + ", records here: "
                        + service.stats().arrived());
            }
        }

        private static long blockedInChild() throws IOException, InterruptedException {
            Process grep = new ProcessBuilder("grep", "SigBlk", "/proc/self/status").start();
            String line = new String(grep.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
            grep.waitFor(30, TimeUnit.SECONDS);
            return Long.parseUnsignedLong(line.substring("SigBlk:".length()).strip(), 16);
        }
    }

    /** Ctrl-C goes to the whole group, also to a child between fork and exec, which shares the VM's memory. */
    @ParameterizedTest
    @ValueSource(strings = {"VFORK", "FORK", "POSIX_SPAWN"})
    void anInterruptOfTheGroupWhileChildrenAreMadeEndsNoVm(String mechanism) {
        try (ChildProcess child = ChildJvm.of(SpawnsALot.class)
                .prefix("setsid", "--wait")
                .vmFlags("-Djdk.lang.Process.launchMechanism=" + mechanism)
                .start()) {
            child.awaitLine("ready", LIMIT);
            String group = "-" + child.pid();
            try (ChildProcess keys = ChildCommand.of(
                            "sh",
                            "-c",
                            "i=0; while [ $i -lt 1500 ]; do kill -INT -- " + group + " || exit 0; i=$((i+1)); done")
                    .start()) {
                keys.awaitExit(LIMIT);
            }
            child.send("TERM");
            ChildExit exit = child.awaitExit(LIMIT);
            assertEquals(0, exit.code(), exit::toString);
            exit.assertPrinted("alive");
        }
    }

    static final class SpawnsALot {
        public static void main(String[] args) throws Exception {
            AtomicBoolean isOver = new AtomicBoolean();
            try (EventLoop loop = EventLoop.open().start();
                    SignalService service = SignalService.attach(loop, SignalSet.of(Signal.SIGINT, Signal.SIGTERM))) {
                Thread[] threads = new Thread[2];
                for (int i = 0; i < threads.length; i++) {
                    threads[i] = new Thread(() -> {
                        while (!isOver.get()) {
                            try {
                                new ProcessBuilder("true").start().waitFor(10, TimeUnit.SECONDS);
                            } catch (IOException interruptedBeforeExec) {
                                System.out.println("a child died before it was one");
                            } catch (InterruptedException e) {
                                return;
                            }
                        }
                    });
                    threads[i].start();
                }
                System.out.println("ready");
                service.await(Signal.SIGTERM).get(3 * LIMIT.toSeconds(), TimeUnit.SECONDS);
                isOver.set(true);
                for (Thread thread : threads) {
                    thread.join();
                }
                System.out.println("alive");
            }
        }
    }
}

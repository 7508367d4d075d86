package dev.carillon.signal;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.carillon.Signal;
import dev.carillon.SignalSet;
import dev.carillon.loop.EventLoop;
import dev.carillon.test.ChildExit;
import dev.carillon.test.ChildJvm;
import dev.carillon.test.ChildProcess;
import dev.carillon.test.Jdk;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** ProcessBuilder's children inherit the mask of the thread that starts them, so no thread may have one from us. */
// r[verify signal.child-mask]
final class SignalChildMaskIT {
    private static final Duration LIMIT = Duration.ofSeconds(60);

    static Stream<Jdk> jdks() {
        return SignalLaunchIT.jdks();
    }

    @ParameterizedTest
    @MethodSource("jdks")
    void nothingIsBlockedInAChildWhicheverThreadStartsIt(Jdk jdk) {
        try (ChildProcess child = ChildJvm.of(Spawns.class).jdk(jdk).start()) {
            ChildExit exit = child.awaitExit(LIMIT);
            assertEquals(0, exit.code(), exit::toString);
            for (String where : new String[] {"main", "a fresh thread", "the loop", "the loop in a storm"}) {
                exit.assertPrinted("blocked in a child of " + where + ": {}");
            }
        }
    }

    static final class Spawns {
        /** The VM up to JDK 17 blocks it in all threads but one, and hands that on. */
        static final SignalSet OF_THE_VM = SignalSet.of(Signal.SIGQUIT);

        private static final SignalSet ATTACHED = SignalSet.of(Signal.SIGTERM, Signal.SIGINT, Signal.SIGUSR1)
                .plus(SignalSet.of(Signal.SIGUSR2, Signal.SIGHUP, Signal.realtime(1)));

        /** All of them find room in the pipes, also if nobody reads: a thread blocks what finds none. */
        private static final int IN_ONE_CHILD = 100;

        private Spawns() {}

        public static void main(String[] args) throws Exception {
            try (EventLoop loop = EventLoop.open().start();
                    SignalService service = SignalService.attach(loop, ATTACHED)) {
                print("main", blockedInChild());
                CompletableFuture<SignalSet> fresh = new CompletableFuture<>();
                new Thread(() -> complete(fresh, Spawns::blockedInChild)).start();
                print("a fresh thread", fresh.get(30, TimeUnit.SECONDS));
                print("the loop", on(loop, Spawns::blockedInChild));
                AtomicBoolean isOver = new AtomicBoolean();
                Semaphore allowed = new Semaphore(0);
                Thread storm = new Thread(() -> storm(isOver, allowed));
                storm.start();
                SignalSet inStorm = SignalSet.empty();
                for (int i = 0; i < 20; i++) {
                    allowed.release(IN_ONE_CHILD);
                    inStorm = inStorm.plus(on(loop, Spawns::blockedInChild));
                }
                isOver.set(true);
                storm.join();
                print("the loop in a storm", inStorm);
                if (service.stats().arrived() == 0) {
                    throw new AssertionError("there was no storm: " + service.stats());
                }
            }
        }

        private static void print(String where, SignalSet blocked) {
            System.out.println("blocked in a child of " + where + ": " + blocked.minus(OF_THE_VM));
        }

        private static void storm(AtomicBoolean isOver, Semaphore allowed) {
            int pid = (int) ProcessHandle.current().pid();
            while (!isOver.get()) {
                if (!allowed.tryAcquire()) {
                    Thread.onSpinWait();
                    continue;
                }
                Signals.send(pid, Signal.SIGUSR1);
                Signals.send(pid, Signal.SIGTERM);
                Signals.queue(pid, Signal.realtime(1), 1);
            }
        }

        private static <T> T on(EventLoop loop, Callable<T> action) throws Exception {
            CompletableFuture<T> result = new CompletableFuture<>();
            loop.execute(() -> complete(result, action));
            return result.get(30, TimeUnit.SECONDS);
        }

        private static <T> void complete(CompletableFuture<T> result, Callable<T> action) {
            try {
                result.complete(action.call());
            } catch (Exception e) {
                result.completeExceptionally(e);
            }
        }

        static SignalSet blockedInChild() throws IOException, InterruptedException {
            Process grep = new ProcessBuilder("grep", "SigBlk", "/proc/self/status").start();
            String line = new String(grep.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
            grep.waitFor(30, TimeUnit.SECONDS);
            return SignalSet.ofBits(
                    Long.parseUnsignedLong(line.substring("SigBlk:".length()).strip(), 16));
        }
    }
}

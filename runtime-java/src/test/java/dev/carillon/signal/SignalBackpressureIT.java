package dev.carillon.signal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.Signal;
import dev.carillon.SignalInfo;
import dev.carillon.SignalSet;
import dev.carillon.loop.EventLoop;
import dev.carillon.sys.call.SignalAction;
import dev.carillon.sys.call.Sys;
import dev.carillon.test.ChildExit;
import dev.carillon.test.ChildJvm;
import dev.carillon.test.ChildProcess;
import dev.carillon.test.Deadline;
import dev.carillon.test.Jdk;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.BitSet;
import java.util.List;
import java.util.Scanner;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A sender that is faster than whoever takes its signals. */
final class SignalBackpressureIT {
    private static final Duration LIMIT = Duration.ofSeconds(90);
    private static final int SENT = 5_000;

    static Stream<Jdk> jdks() {
        return SignalLaunchIT.jdks();
    }

    static ChildProcess sender(ChildProcess target, int count, String signal) {
        return ChildJvm.of(SignalStormIT.Storm.class)
                .args(Long.toString(target.pid()), Integer.toString(count), signal)
                .start();
    }

    /** Bound 100, a pipe of 128, a queue of 200: the rest waits on the sender's side. */
    // r[verify signal.backpressure] r[verify signal.realtime] r[verify signal.pending-bound]
    @ParameterizedTest
    @MethodSource("jdks")
    void everyRealtimeSignalThatWasAcceptedComesAndTermIsNotHeldUp(Jdk jdk) {
        try (ChildProcess child = ChildJvm.of(Late.class)
                .jdk(jdk)
                .prefix("prlimit", "--sigpending=200")
                .start()) {
            child.awaitLine("ready", LIMIT);
            try (ChildProcess sender = sender(child, SENT, "RTMIN+1")) {
                child.awaitLine("full", LIMIT);
                long term = child.send("TERM");
                child.awaitLine("got SIGTERM from PROCESS " + term, LIMIT);
                sender.awaitLine("queue is full", LIMIT);
                child.writeLine("go on");
                ChildExit sent = sender.awaitExit(LIMIT);
                assertEquals(0, sent.code(), sent::toString);
                assertTrue(
                        sent.stdout().stream()
                                .anyMatch(line -> line.startsWith("queue was full ") && !line.endsWith(" 0")),
                        sent::toString);
            }
            ChildExit exit = child.awaitExit(LIMIT);
            assertEquals(0, exit.code(), exit::toString);
            exit.assertPrinted("all " + SENT + ", dropped 0, refused 0");
            exit.assertPrinted("blocked by threads: 0");
        }
    }

    /** Waits for TERM at once, and for the real-time signal when it is told to. */
    static final class Late {
        private static final Signal QUEUED = Signal.realtime(1);
        private static final BitSet VALUES = new BitSet();
        private static final AtomicLong COUNT = new AtomicLong();

        private Late() {}

        public static void main(String[] args) throws Exception {
            SignalOptions options = SignalOptions.builder().pendingRealtime(100).build();
            Scanner lines = new Scanner(System.in, StandardCharsets.US_ASCII);
            try (EventLoop loop = EventLoop.open().start();
                    SignalService service = SignalService.attach(loop, SignalSet.of(QUEUED, Signal.SIGTERM), options)) {
                OwnPipes.shrink();
                var term = service.await(Signal.SIGTERM);
                System.out.println("ready");
                Deadline.after(LIMIT).await("threads hold it back", () -> blocking() > 0);
                if (service.stats().pending() > 100 + blocking()) {
                    throw new AssertionError(service.stats());
                }
                System.out.println("full");
                SignalChild.print(term.get(60, TimeUnit.SECONDS));
                lines.nextLine();
                loop.execute(() -> waitAgain(service));
                Deadline.after(LIMIT).await("all come", () -> COUNT.get() == SENT);
                Deadline.after(LIMIT).await("nobody blocks it any more", () -> blocking() == 0);
                boolean isComplete = SignalCase.on(loop, () -> VALUES.cardinality() == SENT);
                System.out.println((isComplete ? "all " : "not all ") + COUNT + ", dropped "
                        + service.stats().dropped() + ", refused "
                        + service.stats().refused());
                // Not looked at once more: a thread that is just being made blocks all signals for that moment.
                System.out.println("blocked by threads: 0");
            }
        }

        private static void waitAgain(SignalService service) {
            service.start(new SignalWaiter(SignalSet.of(QUEUED)) {
                @Override
                protected void onSignal(SignalInfo info) {
                    VALUES.set((int) info.value());
                    COUNT.incrementAndGet();
                    waitAgain(service);
                }

                @Override
                protected void onFailure(RuntimeException cause) {}
            });
        }

        /** How many threads of this process block it. */
        static long blocking() {
            return blockingThreads().size();
        }

        /** Which ones do. */
        static List<Integer> blockingThreads() {
            long bit = SignalSet.of(QUEUED).toBits();
            try (Stream<Path> threads = Files.list(Path.of("/proc/self/task"))) {
                return threads.filter(thread -> (blocked(thread) & bit) != 0)
                        .map(thread -> Integer.parseInt(thread.getFileName().toString()))
                        .toList();
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        }

        private static long blocked(Path thread) {
            try {
                String line = Files.readAllLines(thread.resolve("status")).stream()
                        .filter(each -> each.startsWith("SigBlk:"))
                        .findFirst()
                        .orElseThrow();
                return Long.parseUnsignedLong(line.substring("SigBlk:".length()).strip(), 16);
            } catch (IOException ended) {
                return 0;
            }
        }
    }

    /** Detached while some are held back, the process is not ended by what was sent to us. */
    // r[verify signal.backpressure] r[verify signal.detach]
    @ParameterizedTest
    @MethodSource("jdks")
    void whatIsHeldBackIsDroppedOnDetachAndEndsNobody(Jdk jdk) {
        try (ChildProcess child = ChildJvm.of(Leaves.class)
                .jdk(jdk)
                .prefix("prlimit", "--sigpending=200")
                .start()) {
            child.awaitLine("ready", LIMIT);
            ChildProcess sender = sender(child, SENT, "RTMIN+1");
            try {
                child.awaitLine("full", LIMIT);
            } finally {
                sender.close();
            }
            child.writeLine("go on");
            ChildExit exit = child.awaitExit(LIMIT);
            assertEquals(0, exit.code(), exit::toString);
            exit.assertPrinted("alive, blocked by threads: 0");
        }
    }

    static final class Leaves {
        private Leaves() {}

        public static void main(String[] args) throws Exception {
            SignalOptions options = SignalOptions.builder().pendingRealtime(100).build();
            Scanner lines = new Scanner(System.in, StandardCharsets.US_ASCII);
            try (EventLoop loop = EventLoop.open().start()) {
                SignalService service = SignalService.attach(loop, SignalSet.of(Late.QUEUED), options);
                OwnPipes.shrink();
                System.out.println("ready");
                Deadline.after(LIMIT).await("threads hold it back", () -> Late.blocking() > 3);
                System.out.println("full");
                lines.nextLine();
                service.close();
                Deadline.after(LIMIT).await("nobody blocks it any more", () -> Late.blocking() == 0);
                System.out.println("alive, blocked by threads: 0");
            }
        }
    }

    /**
     * The kernel has sent a thread into our handler, and before that has looked for its route the signal is detached. To
     * the handler it is the same whether it was entered before the detach or, as here, afterwards.
     */
    // r[verify signal.backpressure] r[verify signal.detach]
    @ParameterizedTest
    @MethodSource("jdks")
    void aThreadThatIsStillInTheHandlerAfterADetachEndsNobody(Jdk jdk) {
        ChildExit exit = ChildJvm.of(Enters.class).jdk(jdk).run(LIMIT);
        assertEquals(0, exit.code(), exit::toString);
        exit.assertPrinted("alive; attached again it comes: 4711");
    }

    static final class Enters {
        private Enters() {}

        public static void main(String[] args) throws Exception {
            Sys sys = Sys.get();
            Signal signal = Late.QUEUED;
            try (EventLoop loop = EventLoop.open().start()) {
                SignalAction ours;
                SignalAction before = sys.signals().action(signal.number());
                try (SignalService first = SignalService.attach(loop, SignalSet.of(signal))) {
                    ours = sys.signals().action(signal.number());
                    ensure(first.attached().contains(signal), "attached");
                }
                ensure(handler(sys, signal) == before.handler(), "what was before is put back");
                sys.signals().setAction(signal.number(), ours);
                // To this very thread, so that it has been handled when this returns.
                ensure(queueHere(sys, signal, 1) == 0, "queued");
                ensure(handler(sys, signal) == ours.handler(), "the handler has changed nothing");
                sys.signals().setAction(signal.number(), before);
                try (SignalService again = SignalService.attach(loop, SignalSet.of(signal))) {
                    ensure(queueHere(sys, signal, 4711) == 0, "queued");
                    SignalInfo info = again.await(signal).get(30, TimeUnit.SECONDS);
                    System.out.println("alive; attached again it comes: " + info.value());
                }
            }
        }

        private static long handler(Sys sys, Signal signal) {
            return sys.signals().action(signal.number()).handler();
        }

        private static int queueHere(Sys sys, Signal signal, long value) {
            return sys.signals()
                    .queueToThread(sys.processes().pid(), sys.processes().threadId(), signal.number(), value);
        }

        private static void ensure(boolean holds, String what) {
            if (!holds) {
                throw new AssertionError(what);
            }
        }
    }
}

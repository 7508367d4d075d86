package dev.carillon.signal;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.carillon.Signal;
import dev.carillon.SignalInfo;
import dev.carillon.SignalInfo.Sender;
import dev.carillon.SignalSet;
import dev.carillon.loop.EventLoop;
import dev.carillon.sys.call.SignalCalls;
import dev.carillon.sys.call.Sys;
import dev.carillon.test.ChildExit;
import dev.carillon.test.ChildJvm;
import dev.carillon.test.ChildProcess;
import dev.carillon.test.Deadline;
import dev.carillon.test.Jdk;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Scanner;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** A thread inherits the mask of the thread that makes it, also what that blocks for a moment only. */
final class SignalInheritedBlockIT {
    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final int SENT = 5_000;

    static Stream<Arguments> jdksAndEnds() {
        return SignalLaunchIT.jdks()
                .flatMap(jdk ->
                        Stream.of("taken", "released", "closed", "loop closed").map(end -> Arguments.of(jdk, end)));
    }

    // r[verify signal.backpressure] r[verify signal.detach] r[verify signal.child-mask]
    @ParameterizedTest
    @MethodSource("jdksAndEnds")
    void aThreadThatBeginsWhileASignalIsHeldBackDoesNotBlockItForEver(Jdk jdk, String end) {
        try (ChildProcess child = ChildJvm.of(MakesThreads.class)
                .jdk(jdk)
                .args(end)
                .prefix("prlimit", "--sigpending=200")
                .start()) {
            child.awaitLine("ready", LIMIT);
            try (ChildProcess sender = SignalBackpressureIT.sender(child, SENT, "RTMIN+1")) {
                child.awaitLine("threads have inherited it", LIMIT);
                if (end.equals("taken")) {
                    child.writeLine("go on");
                    assertEquals(0, sender.awaitExit(LIMIT).code());
                }
            }
            if (!end.equals("taken")) {
                child.writeLine("go on");
            }
            ChildExit exit = child.awaitExit(LIMIT);
            assertEquals(0, exit.code(), exit::toString);
            exit.assertPrinted("only those block it who did so themselves");
            exit.assertPrinted("blocked in a child: {}");
        }
    }

    /** Its threads make others while they block the signal, and go on with that until it is over. */
    static final class MakesThreads {
        private static final Signal QUEUED = Signal.realtime(1);
        private static final Duration SOON = Duration.ofSeconds(50);
        private static final int MAKERS = 4;
        private static final int MAX_MADE = 40;

        /** A fault of a thread that blocks it would end the VM. */
        private static final long ALL_BUT_FAULTS = SignalSet.all()
                .minus(SignalSet.of(Signal.SIGSEGV, Signal.SIGBUS, Signal.SIGFPE, Signal.SIGILL, Signal.SIGTRAP))
                .toBits();

        private static final SignalCalls SIGNALS = Sys.get().signals();
        private static final List<ExecutorService> BORN_BLOCKING = new ArrayList<>();
        private static final ConcurrentLinkedQueue<ExecutorService> POOLS = new ConcurrentLinkedQueue<>();
        private static final Set<Integer> BY_THEMSELVES = ConcurrentHashMap.newKeySet();
        private static final AtomicInteger COUNT = new AtomicInteger();

        private MakesThreads() {}

        public static void main(String[] args) throws Exception {
            Thread.setDefaultUncaughtExceptionHandler((thread, failure) -> {
                failure.printStackTrace();
                Runtime.getRuntime().halt(1);
            });
            SignalOptions options = SignalOptions.builder().pendingRealtime(100).build();
            Scanner lines = new Scanner(System.in, StandardCharsets.US_ASCII);
            CountDownLatch isOver = new CountDownLatch(1);
            blockByThemselves();
            EventLoop loop = EventLoop.open().start();
            SignalService service = SignalService.attach(loop, SignalSet.of(QUEUED), options);
            OwnPipes.shrink();
            System.out.println("ready");
            List<Thread> makers = new ArrayList<>();
            for (int i = 0; i < MAKERS; i++) {
                makers.add(new Thread(() -> makeThreads(isOver), "maker " + i));
            }
            makers.forEach(Thread::start);
            Deadline.after(LIMIT).await("threads have inherited it", () -> {
                synchronized (BORN_BLOCKING) {
                    return BORN_BLOCKING.size() >= MAKERS;
                }
            });
            System.out.println("threads have inherited it");
            lines.nextLine();
            end(args[0], loop, service);
            isOver.countDown();
            try {
                Deadline.after(SOON)
                        .await("only those block it who did so themselves", () -> BY_THEMSELVES.equals(blocking()));
            } finally {
                System.out.println(blocking().size() + " block it, by themselves " + BY_THEMSELVES.size());
            }
            System.out.println("only those block it who did so themselves");
            System.out.println("blocked in a child: "
                    + BORN_BLOCKING
                            .get(0)
                            .submit(SignalChildMaskIT.Spawns::blockedInChild)
                            .get(30, TimeUnit.SECONDS)
                            .minus(SignalChildMaskIT.Spawns.OF_THE_VM));
            System.out.flush();
            Runtime.getRuntime().halt(0);
        }

        private static void end(String how, EventLoop loop, SignalService service) {
            switch (how) {
                case "taken" -> {
                    loop.execute(() -> waitAgain(service));
                    // More threads may hold it back than the other pipe, of one page here, has room for.
                    Deadline.after(LIMIT)
                            .await(
                                    "all come",
                                    () -> COUNT.get() + service.stats().refused() == SENT);
                }
                case "released" -> service.release(QUEUED);
                case "closed" -> service.close();
                default -> loop.close();
            }
        }

        private static void waitAgain(SignalService service) {
            service.start(new SignalWaiter(QUEUED) {
                @Override
                protected void onSignal(SignalInfo info) {
                    if (info.sender() != Sender.UNKNOWN) {
                        COUNT.incrementAndGet();
                    }
                    waitAgain(service);
                }

                @Override
                protected void onFailure(RuntimeException cause) {}
            });
        }

        /** One blocks this signal and has a thread that inherits that, and one blocks whatever it can. */
        private static void blockByThemselves() throws Exception {
            long queued = SignalSet.of(QUEUED).toBits();
            for (long mask : new long[] {queued, ALL_BUT_FAULTS}) {
                ExecutorService pool = newPool();
                pool.submit(() -> SIGNALS.block(mask)).get(60, TimeUnit.SECONDS);
                BY_THEMSELVES.add(pool.submit(MakesThreads::thread).get(60, TimeUnit.SECONDS));
                BY_THEMSELVES.add(
                        pool.submit(() -> newPool().submit(MakesThreads::thread).get(60, TimeUnit.SECONDS))
                                .get(60, TimeUnit.SECONDS));
            }
        }

        /** The thread of one that nobody has any more would end. */
        private static ExecutorService newPool() {
            ExecutorService pool = Executors.newSingleThreadExecutor();
            POOLS.add(pool);
            return pool;
        }

        private static int thread() {
            return Sys.get().processes().threadId();
        }

        private static boolean isBlockedHere() {
            return SignalSet.ofBits(SIGNALS.mask()).contains(QUEUED);
        }

        private static void makeThreads(CountDownLatch isOver) {
            try {
                // Each thread takes one that is held back, some time.
                while (!isBlockedHere() && isOver.getCount() > 0) {
                    LockSupport.parkNanos(1_000_000);
                }
                for (int i = 0; i < MAX_MADE && isOver.getCount() > 0; i++) {
                    ExecutorService pool = newPool();
                    if (pool.submit(MakesThreads::isBlockedHere).get(60, TimeUnit.SECONDS)) {
                        synchronized (BORN_BLOCKING) {
                            BORN_BLOCKING.add(pool);
                        }
                        isOver.await(5, TimeUnit.MILLISECONDS);
                    }
                }
                isOver.await();
            } catch (Exception e) {
                throw new AssertionError(e);
            }
        }

        private static Set<Integer> blocking() {
            return new TreeSet<>(SignalBackpressureIT.Late.blockingThreads());
        }
    }
}

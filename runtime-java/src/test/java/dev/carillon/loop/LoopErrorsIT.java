package dev.carillon.loop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.io.Operation;
import dev.carillon.io.StreamSocket;
import dev.carillon.test.ChildExit;
import dev.carillon.test.ChildJvm;
import dev.carillon.test.ChildProcess;
import dev.carillon.test.proc.Descriptors;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.ILoggerFactory;
import org.slf4j.IMarkerFactory;
import org.slf4j.Logger;
import org.slf4j.helpers.BasicMarkerFactory;
import org.slf4j.helpers.NOPMDCAdapter;
import org.slf4j.spi.MDCAdapter;
import org.slf4j.spi.SLF4JServiceProvider;

/** Real errors of the VM in callbacks, each in a VM of its own: whoever waits is told, and the shared loop is there. */
final class LoopErrorsIT {
    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final int MANY = 5_000;

    private static ChildExit run(ChildJvm child) {
        try (ChildProcess process = child.start()) {
            ChildExit exit = process.awaitExit(LIMIT);
            assertEquals(0, exit.code(), exit::toString);
            return exit;
        }
    }

    // r[verify loop.errors]
    @Test
    void theSharedLoopSurvivesACallbackThatTakesTheWholeHeap() {
        ChildExit exit = run(ChildJvm.of(TakesTheHeap.class).vmFlags("-Xmx32m"));
        exit.assertPrinted("all told");
    }

    // r[verify loop.errors]
    @Test
    void aLoopGoesOnWhenTheHeapWasFullForAWhile() {
        ChildExit exit = run(ChildJvm.of(FullHeap.class).vmFlags("-Xmx32m"));
        exit.assertPrinted("all told");
    }

    // r[verify loop.errors]
    @Test
    void stackOverflowsOfCallbacksAndOfTheirHandlerEndNothing() {
        ChildExit exit = run(ChildJvm.of(Overflows.class));
        exit.assertPrinted("alive");
    }

    // r[verify loop.no-leak]
    @Test
    void aLoopThatFindsNoMemoryToOpenLeavesNoDescriptor() {
        ChildExit exit = run(ChildJvm.of(NoDirectMemory.class).vmFlags("-XX:MaxDirectMemorySize=1m"));
        exit.assertPrinted("none left");
    }

    // r[verify loop.shared]
    @Test
    void aSharedLoopThatCannotGoOnRunsWhatItAcceptedAndIsReplaced() {
        ChildExit exit = run(ChildJvm.of(Replaced.class));
        exit.assertPrinted("replaced");
        assertTrue(exit.stderr().stream().anyMatch(line -> line.contains("taken its place")), exit::toString);
    }

    // r[verify loop.report]
    @ParameterizedTest
    @ValueSource(
            strings = {"java.lang.NoClassDefFoundError", "java.lang.OutOfMemoryError", "java.lang.IllegalStateException"
            })
    void aLoggerThatThrowsEndsNoLoop(String thrown) {
        ChildExit exit = run(ChildJvm.of(BadLogger.class)
                .vmFlags("-Dslf4j.provider=" + ThrowingProvider.class.getName())
                .args(thrown));
        exit.assertPrinted("alive");
        assertTrue(exit.stderr().stream().anyMatch(line -> line.contains("planted in a callback")), exit::toString);
    }

    // r[verify loop.no-provider]
    /** No test of this module has more of SLF4J on its class path than its API. */
    @Test
    void withoutALoggingProviderErrorsOfCallbacksGoToStandardError() {
        ChildExit exit = run(ChildJvm.of(BadLogger.class).args("nothing"));
        exit.assertPrinted("alive");
        assertTrue(exit.stderr().stream().anyMatch(line -> line.contains("planted in a callback")), exit::toString);
        assertTrue(exit.stderr().stream().anyMatch(line -> line.contains("carillon-loop")), exit::toString);
        // What SLF4J has to say of that would be the first thing that a new user sees.
        assertTrue(exit.stderr().stream().noneMatch(line -> line.contains("SLF4J")), exit::toString);
    }

    // r[verify loop.no-provider]
    @Test
    void aProviderThatIsSilentIsObeyed() {
        ChildExit exit = run(ChildJvm.of(BadLogger.class)
                .vmFlags("-Dslf4j.provider=" + SilentProvider.class.getName())
                .args("nothing"));
        exit.assertPrinted("alive");
        assertTrue(exit.stderr().stream().noneMatch(line -> line.contains("planted in a callback")), exit::toString);
    }

    static final class TakesTheHeap {
        public static void main(String[] args) throws Exception {
            EventLoop loop = EventLoop.shared();
            CountDownLatch go = new CountDownLatch(1);
            loop.execute(() -> LoopCase.awaitUninterruptibly(go));
            List<CompletableFuture<Integer>> before = futures(loop);
            loop.execute(TakesTheHeap::takeAll);
            List<CompletableFuture<Integer>> after = futures(loop);
            CompletableFuture<Void> timer = new CompletableFuture<>();
            loop.schedule(Duration.ofMillis(50), () -> timer.complete(null));
            go.countDown();
            for (CompletableFuture<Integer> future : before) {
                await(future);
            }
            for (CompletableFuture<Integer> future : after) {
                await(future);
            }
            await(timer);
            System.out.println(EventLoop.shared() == loop ? "all told" : "another loop");
        }

        /** The thread that waits may be the one that finds the heap full: then it asks again. */
        private static void await(CompletableFuture<?> future) throws Exception {
            while (true) {
                try {
                    future.get(20, TimeUnit.SECONDS);
                    return;
                } catch (OutOfMemoryError takenForAWhile) {
                    Thread.onSpinWait();
                }
            }
        }

        private static List<CompletableFuture<Integer>> futures(EventLoop loop) {
            List<CompletableFuture<Integer>> futures = new ArrayList<>();
            for (int i = 0; i < MANY; i++) {
                int number = i;
                futures.add(CompletableFuture.supplyAsync(() -> number, loop));
            }
            return futures;
        }

        static void takeAll() {
            Deque<long[]> taken = new ArrayDeque<>();
            while (taken.size() < Integer.MAX_VALUE) {
                taken.add(new long[10_000]);
            }
        }
    }

    /** Another thread holds the heap while tasks, timers and operations are on their way. */
    static final class FullHeap {
        public static void main(String[] args) throws Exception {
            AtomicReference<Throwable> ended = new AtomicReference<>();
            Thread main = Thread.currentThread();
            Thread.setDefaultUncaughtExceptionHandler((thread, error) -> {
                if (thread == main) {
                    error.printStackTrace();
                } else if (thread.getName().equals("carillon-loop")) {
                    ended.set(error);
                }
            });
            AtomicInteger errors = new AtomicInteger();
            EventLoop loop = EventLoop.open(EventLoopOptions.builder()
                            .errorHandler((on, error) -> errors.incrementAndGet())
                            .build())
                    .start();
            List<StreamSocket> pair = StreamSocket.pair(loop);
            AtomicInteger told = new AtomicInteger();
            AtomicInteger reads = new AtomicInteger();
            ByteBuffer in = ByteBuffer.allocateDirect(64);
            ByteBuffer out = ByteBuffer.allocateDirect(64);
            Operation[] read = new Operation[1];
            read[0] = Operation.of(done -> {
                reads.incrementAndGet();
                if (pair.get(1).isOpen()) {
                    pair.get(1).readSome(in.clear(), done);
                }
            });
            pair.get(1).readSome(in, read[0]);
            Operation write = Operation.of(done -> {});
            // What was never run before needs memory for its classes, and here it is about the loop's.
            for (int i = 0; i < 100; i++) {
                int before = reads.get();
                pair.get(0).writeSome(out.clear(), write);
                loop.schedule(Duration.ofNanos(i), () -> {});
                CompletableFuture.runAsync(() -> {}, loop).get(20, TimeUnit.SECONDS);
                while (reads.get() == before || write.isPending()) {
                    Thread.onSpinWait();
                }
            }
            Object[] taken = new Object[100_000];
            AtomicInteger phase = new AtomicInteger();
            Thread releasing = new Thread(() -> {
                while (phase.get() == 0) {
                    LockSupport.parkNanos(1_000_000);
                }
                LockSupport.parkNanos(300_000_000);
                Arrays.fill(taken, null);
                phase.set(2);
            });
            releasing.start();
            for (int i = 0, size = 4 << 10; size > 8; ) {
                try {
                    taken[i] = new byte[size];
                    i++;
                } catch (OutOfMemoryError full) {
                    size /= 2;
                }
            }
            // Enough for some of the posts.
            Arrays.fill(taken, 0, 4, null);
            phase.set(1);
            int accepted = 0;
            while (phase.get() == 1) {
                try {
                    if (!write.isPending()) {
                        pair.get(0).writeSome(out.clear(), write);
                    }
                    Runnable task = told::incrementAndGet;
                    loop.schedule(Duration.ofMillis(accepted % 10), task);
                    accepted++;
                    loop.execute(task);
                    accepted++;
                } catch (OutOfMemoryError callerIsTold) {
                    Thread.onSpinWait();
                }
            }
            if (ended.get() != null) {
                throw new IllegalStateException("the loop has ended", ended.get());
            }
            CompletableFuture.runAsync(() -> {}, loop).get(20, TimeUnit.SECONDS);
            long end = System.nanoTime() + 20_000_000_000L;
            while (told.get() < accepted && System.nanoTime() - end < 0) {
                Thread.onSpinWait();
            }
            int before = reads.get();
            while (reads.get() == before && System.nanoTime() - end < 0) {
                if (!write.isPending()) {
                    pair.get(0).writeSome(out.clear(), write);
                }
            }
            System.out.println(told + " of " + accepted + " ran, " + reads + " reads, " + errors + " errors");
            System.out.println(told.get() == accepted && reads.get() > before ? "all told" : "not all told");
            pair.forEach(StreamSocket::close);
            loop.close();
        }
    }

    /** Takes more and more of the memory for buffers, so that the opening fails at each of its places. */
    static final class NoDirectMemory {
        public static void main(String[] args) {
            EventLoop.open().close();
            int before = Descriptors.count();
            Deque<ByteBuffer> taken = new ArrayDeque<>();
            int failures = 0;
            // The VM waits half a second for memory before it gives up, so there are few rounds.
            while (failures < 5) {
                try {
                    EventLoop.open(EventLoopOptions.builder().scratch(64 << 10).build())
                            .close();
                    taken.add(ByteBuffer.allocateDirect(16 << 10));
                } catch (OutOfMemoryError refused) {
                    failures++;
                }
            }
            int left = Descriptors.count() - before;
            System.out.println(
                    failures > 0 && left == 0
                            ? "none left"
                            : failures + " failures, left " + left + " after " + taken.size());
        }
    }

    static final class Overflows {
        public static void main(String[] args) throws Exception {
            AtomicInteger handled = new AtomicInteger();
            EventLoop loop = EventLoop.open(EventLoopOptions.builder()
                            .errorHandler((on, error) -> {
                                handled.incrementAndGet();
                                deeper(1);
                            })
                            .build())
                    .start();
            for (int i = 0; i < 20; i++) {
                loop.execute(() -> deeper(1));
            }
            CompletableFuture.runAsync(() -> {}, loop).get(20, TimeUnit.SECONDS);
            System.out.println(handled.get() == 20 ? "alive" : "handled " + handled);
            loop.close();
        }

        @SuppressWarnings("InfiniteRecursion")
        private static int deeper(int depth) {
            return deeper(depth + 1) + depth;
        }
    }

    static final class Replaced {
        public static void main(String[] args) throws Exception {
            EventLoop first = EventLoop.shared();
            CountDownLatch go = new CountDownLatch(1);
            first.execute(() -> LoopCase.awaitUninterruptibly(go));
            first.execute(() -> {
                throw new InternalError("planted");
            });
            List<CompletableFuture<Integer>> accepted = TakesTheHeap.futures(first);
            go.countDown();
            for (CompletableFuture<Integer> future : accepted) {
                future.get(20, TimeUnit.SECONDS);
            }
            EventLoop second = EventLoop.shared();
            CompletableFuture.runAsync(() -> {}, second).get(20, TimeUnit.SECONDS);
            System.out.println(first == second ? "the same" : "replaced");
        }
    }

    static final class BadLogger {
        public static void main(String[] args) throws Exception {
            ThrowingProvider.thrown = args[0];
            EventLoop loop = EventLoop.open().start();
            for (int i = 0; i < 3; i++) {
                loop.execute(() -> {
                    throw new IllegalStateException("planted in a callback");
                });
            }
            CompletableFuture.runAsync(() -> {}, loop).get(20, TimeUnit.SECONDS);
            System.out.println("alive");
            loop.close();
        }
    }

    /** Its loggers throw what they are told to. */
    public static class ThrowingProvider implements SLF4JServiceProvider {
        static volatile String thrown = "nothing";

        @Override
        public ILoggerFactory getLoggerFactory() {
            return name -> (Logger) Proxy.newProxyInstance(
                    getClass().getClassLoader(), new Class<?>[] {Logger.class}, (proxy, method, arguments) -> {
                        if (method.getReturnType() == boolean.class) {
                            return true;
                        }
                        throw Class.forName(thrown)
                                .asSubclass(Throwable.class)
                                .getConstructor(String.class)
                                .newInstance("planted in the logger");
                    });
        }

        @Override
        public IMarkerFactory getMarkerFactory() {
            return new BasicMarkerFactory();
        }

        @Override
        public MDCAdapter getMDCAdapter() {
            return new NOPMDCAdapter();
        }

        @Override
        public String getRequestedApiVersion() {
            return "2.0";
        }

        @Override
        public void initialize() {}
    }

    /** Throws everything away, and is meant to. */
    public static final class SilentProvider extends ThrowingProvider {
        @Override
        public ILoggerFactory getLoggerFactory() {
            return name -> org.slf4j.helpers.NOPLogger.NOP_LOGGER;
        }
    }
}

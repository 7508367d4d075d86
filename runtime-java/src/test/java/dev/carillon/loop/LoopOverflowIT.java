package dev.carillon.loop;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.carillon.io.StreamSocket;
import dev.carillon.loop.queue.MpscQueue;
import dev.carillon.test.ChildExit;
import dev.carillon.test.ChildJvm;
import dev.carillon.test.ChildProcess;
import dev.carillon.test.Deadline;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Threads that run out of stack in the middle of a call of ours, at each of its depths: no loop is hurt by that. */
final class LoopOverflowIT {
    private static final Duration LIMIT = Duration.ofSeconds(60);

    private static void run(ChildJvm child) {
        // The VM looks at each frame of the stack before it throws: with a megabyte of them that takes it milliseconds.
        child.vmFlags("-XX:MaxJavaStackTraceDepth=8", "-Xss320k");
        try (ChildProcess process = child.start()) {
            ChildExit exit = process.awaitExit(LIMIT);
            assertEquals(0, exit.code(), exit::toString);
            exit.assertPrinted("alive and ended");
        }
    }

    // r[verify loop.overflow]
    @ParameterizedTest
    @CsvSource({
        "EXECUTE, -Xint", "EXECUTE, -XX:+UseSerialGC",
        "SCHEDULE, -Xint", "SCHEDULE, -XX:+UseSerialGC",
        "CANCEL, -Xint", "CANCEL, -XX:+UseSerialGC",
        "READ, -XX:+UseSerialGC", "STOP, -XX:+UseSerialGC",
    })
    void aThreadThatOverflowsWhileItPostsStopsNoLoop(Act act, String flag) {
        run(ChildJvm.of(Overflowing.class).vmFlags(flag).args(act.name(), "outside"));
    }

    // r[verify loop.overflow]
    @ParameterizedTest
    @CsvSource({
        "EXECUTE, -XX:+UseSerialGC",
        "SCHEDULE, -XX:+UseSerialGC",
        "CANCEL, -Xint",
        "CANCEL, -XX:+UseSerialGC",
        "READ, -XX:+UseSerialGC",
    })
    void aCallbackThatOverflowsInACallOfItsLoopLeavesNothingHalfDone(Act act, String flag) {
        run(ChildJvm.of(Overflowing.class).vmFlags(flag).args(act.name(), "inside"));
    }

    // r[verify loop.overflow]
    @ParameterizedTest
    @ValueSource(strings = {"-Xint", "-XX:+UseSerialGC"})
    void aProducerThatDidNotLookForRoomStopsNoQueue(String flag) {
        run(ChildJvm.of(OverflowingProducer.class).vmFlags(flag));
    }

    /** What is done near the end of the stack. */
    enum Act {
        EXECUTE,
        SCHEDULE,
        CANCEL,
        READ,
        STOP
    }

    /** Runs into the end of the stack, and acts at each level on the way back. */
    static final class Climb {
        private static final int LEVELS = 250;

        private Climb() {}

        static int climb(Runnable act) {
            return climb(act, 0);
        }

        /** The stack ends long before the numbers do. */
        private static int climb(Runnable act, int level) {
            if (level == Integer.MAX_VALUE) {
                return 0;
            }
            int left;
            try {
                left = climb(act, level + 1);
            } catch (StackOverflowError end) {
                left = 0;
            }
            if (left < LEVELS) {
                try {
                    act.run();
                } catch (StackOverflowError refused) {
                    return left + 1;
                }
            }
            return left + 1;
        }

        static void inThreads(int threads, int rounds, Runnable act) throws InterruptedException {
            List<Thread> climbing = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                Thread thread = new Thread(null, () -> climb(rounds, act), "climber", 200 * 1024 + i * 4096);
                thread.start();
                climbing.add(thread);
            }
            for (Thread thread : climbing) {
                thread.join();
            }
        }

        static void climb(int rounds, Runnable act) {
            for (int i = 0; i < rounds; i++) {
                climb(act);
            }
        }
    }

    static final class Overflowing {
        private static final int ROUNDS = 10;
        private static final int ROUNDS_INSIDE = 10;
        private static final AtomicLong accepted = new AtomicLong();
        private static final AtomicLong ran = new AtomicLong();
        private static final Queue<Throwable> errors = new ConcurrentLinkedQueue<>();

        public static void main(String[] args) throws Exception {
            EventLoop loop = EventLoop.open(EventLoopOptions.builder()
                            .daemon(true)
                            .errorHandler((on, error) -> errors.add(error))
                            .build())
                    .start();
            StreamSocket socket = StreamSocket.pair(loop).get(0);
            Act what = Act.valueOf(args[0]);
            Runnable act = () -> act(what, loop, socket);
            if (args[1].equals("inside")) {
                for (int i = 0; i < ROUNDS_INSIDE; i++) {
                    loop.execute(() -> Climb.climb(1, act));
                }
            } else {
                Climb.inThreads(3, ROUNDS, act);
            }
            if (what != Act.STOP) {
                CompletableFuture<Boolean> timer = new CompletableFuture<>();
                loop.schedule(Duration.ofMillis(1), () -> timer.complete(true));
                timer.get(40, TimeUnit.SECONDS);
                CompletableFuture.runAsync(() -> {}, loop).get(20, TimeUnit.SECONDS);
                Deadline.after(Duration.ofSeconds(20))
                        .await("all that was accepted has run", () -> ran.get() >= accepted.get());
            }
            loop.requestStop();
            if (!loop.awaitTermination(Duration.ofSeconds(20))) {
                throw new IllegalStateException("the loop does not end");
            }
            // One that was accepted may have been told of an overflow behind that.
            boolean all = ran.get() >= accepted.get() && errors.isEmpty();
            System.out.println(all ? "alive and ended" : ran + " ran of " + accepted + ", errors=" + errors);
        }

        private static void act(Act what, EventLoop loop, StreamSocket socket) {
            switch (what) {
                case EXECUTE -> {
                    loop.execute(ran::incrementAndGet);
                    accepted.incrementAndGet();
                }
                case SCHEDULE -> {
                    loop.schedule(Duration.ZERO, ran::incrementAndGet);
                    accepted.incrementAndGet();
                }
                case CANCEL ->
                    loop.schedule(Duration.ofSeconds(1000), ran::incrementAndGet)
                            .cancel();
                case READ -> socket.readSomeAsync(ByteBuffer.allocate(1)).cancel(true);
                case STOP -> loop.requestStop();
            }
        }
    }

    /** Without appends: those allocate, and there only the look for room helps. */
    static final class OverflowingProducer {
        private static final int CHUNK = 1 << 20;

        public static void main(String[] args) throws Exception {
            MpscQueue<String> queue = new MpscQueue<>(CHUNK);
            queue.offer("linked");
            queue.poll();
            Climb.inThreads(3, 30, () -> queue.offer("item"));
            long claimed = queue.close();
            while (queue.poll() != null) {
                Thread.onSpinWait();
            }
            System.out.println(
                    queue.takenUpTo(claimed) ? "alive and ended" : "stopped at one of " + claimed + " places");
        }
    }
}

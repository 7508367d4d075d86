package dev.carillon.loop;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.carillon.test.ChildExit;
import dev.carillon.test.ChildJvm;
import dev.carillon.test.ChildProcess;
import dev.carillon.test.Deadline;
import java.lang.ref.Reference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Timers that other threads set where memory is short, in a VM of its own. */
final class TimerMemoryIT {
    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final Duration HOUR = Duration.ofHours(1);

    /** So many fill the arrays of the heap, which keep one place free: the next one needs larger ones. */
    private static final int FULL = 4095;

    /** Larger arrays than these are not to be had, smaller objects are. */
    private static final int FREE = 32 << 10;

    // r[verify timer.accepted]
    @ParameterizedTest
    @ValueSource(strings = {"busy", "idle"})
    void aTimerThatWasAcceptedRunsInTimeAlthoughThereIsNoMemoryToKeepIt(String kind) {
        try (ChildProcess child = ChildJvm.of(Full.class)
                .vmFlags("-Xmx32m", "-XX:+UseSerialGC")
                .args(kind)
                .start()) {
            ChildExit exit = child.awaitExit(LIMIT);
            assertEquals(
                    List.of("all ran while there was none", "all wait", "none is left"), exit.stdout(), exit::toString);
        }
    }

    // r[verify timer.repeat-memory]
    @Test
    void repeatingTimersTickOnAlthoughThereIsNoMemory() {
        try (ChildProcess child = ChildJvm.of(Ticking.class)
                .vmFlags("-Xmx32m", "-XX:+UseSerialGC")
                .start()) {
            ChildExit exit = child.awaitExit(LIMIT);
            assertEquals(List.of("all tick while there is none", "all tick"), exit.stdout(), exit::toString);
        }
    }

    static final class Ticking {
        private static final int TICKS = 20;
        private static volatile boolean isFull;

        public static void main(String[] args) {
            EventLoop loop = EventLoop.open(EventLoopOptions.builder()
                            .errorHandler((on, error) -> {})
                            .build())
                    .start();
            List<AtomicInteger> counts = new ArrayList<>();
            List<byte[]> ballast = new ArrayList<>(100_000);
            Duration soon = Duration.ofMillis(1);
            // In the heap; its callback fills the heap, and is refused when that is full.
            counts.add(new AtomicInteger());
            RepeatingTimer greedy = loop.scheduleRepeating(soon, soon, MissedTicks.SKIP, tick -> {
                if (isFull) {
                    counts.get(0).incrementAndGet();
                    loop.schedule(HOUR, () -> {});
                }
            });
            for (int i = 1; i < FULL; i++) {
                loop.schedule(HOUR, () -> {});
            }
            LoopCase.on(loop, () -> null);
            Deadline limit = Deadline.after(Duration.ofSeconds(30));
            for (int i = 0; i < 2; i++) {
                Full.fill(ballast);
            }
            isFull = true;
            // What is free now holds the timers themselves, and no larger arrays.
            ballast.remove(ballast.size() - 1);
            // For these the heap has no room.
            for (int i = 1; i <= 3; i++) {
                AtomicInteger count = new AtomicInteger();
                counts.add(count);
                loop.scheduleRepeating(soon, soon, MissedTicks.CATCH_UP, tick -> count.incrementAndGet());
            }
            long overflow = loop.stats().pendingTimers();
            boolean tick = true;
            try {
                tick = awaitTicks(counts, limit);
            } finally {
                Reference.reachabilityFence(ballast);
            }
            ballast.clear();
            System.err.println(counts + " ticks, " + overflow + " timers");
            System.out.println(tick ? "all tick while there is none" : "some have stopped");
            greedy.cancel();
            counts.remove(0);
            counts.forEach(count -> count.set(0));
            System.out.println(awaitTicks(counts, limit) ? "all tick" : "some have stopped");
            loop.close();
        }

        private static boolean awaitTicks(List<AtomicInteger> counts, Deadline limit) {
            for (AtomicInteger count : counts) {
                while (count.get() < TICKS) {
                    if (limit.isOver()) {
                        return false;
                    }
                    Thread.onSpinWait();
                }
            }
            return true;
        }
    }

    static final class Full {
        private static volatile boolean stop;

        public static void main(String[] args) {
            EventLoop loop = EventLoop.open().start();
            AtomicInteger ran = new AtomicInteger();
            Runnable task = ran::incrementAndGet;
            List<TimerHandle> late = new ArrayList<>(2 * FULL);
            for (int i = 0; i < FULL; i++) {
                late.add(loop.schedule(HOUR, task));
            }
            LoopCase.on(loop, () -> null);
            if (args[0].equals("busy")) {
                loop.execute(new Busy(loop));
            }
            Deadline limit = Deadline.after(Duration.ofSeconds(30));
            List<byte[]> ballast = new ArrayList<>(100_000);
            for (int i = 0; i < 2; i++) {
                fill(ballast);
            }
            // What is free now holds the timers themselves, and no larger arrays.
            ballast.remove(ballast.size() - 1);
            Duration soon = Duration.ofMillis(1);
            int accepted = 0;
            try {
                while (accepted < 100) {
                    loop.schedule(soon, task);
                    accepted++;
                    late.add(loop.schedule(HOUR, task));
                }
            } catch (OutOfMemoryError callerIsTold) {
                soon = HOUR;
            }
            int inTime;
            try {
                while (ran.get() < accepted && !limit.isOver()) {
                    Thread.onSpinWait();
                }
                inTime = ran.get();
            } finally {
                Reference.reachabilityFence(ballast);
            }
            ballast.clear();
            System.err.println(accepted + " accepted, " + inTime + " ran, " + late.size() + " late ones");
            System.out.println(
                    accepted > 0 && inTime == accepted ? "all ran while there was none" : "some have not run in time");
            limit.await("all are counted", () -> loop.stats().pendingTimers() == late.size());
            System.out.println("all wait");
            late.forEach(TimerHandle::cancel);
            stop = true;
            loop.schedule(Duration.ZERO, task);
            limit.await("the one after them has run", () -> ran.get() > inTime);
            loop.close();
            System.out.println(late.stream().noneMatch(TimerHandle::isPending) ? "none is left" : "some are left");
        }

        private static void fill(List<byte[]> ballast) {
            try {
                while (true) {
                    ballast.add(new byte[FREE]);
                }
            } catch (OutOfMemoryError full) {
                Thread.onSpinWait();
            }
        }

        /** Keeps the loop from parking. */
        private record Busy(EventLoop loop) implements Runnable {
            @Override
            public void run() {
                if (!stop) {
                    loop.execute(this);
                }
            }
        }
    }
}

package dev.carillon.loop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.test.Deadline;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Posting, waking, fairness and errors. */
abstract class LoopTaskContract extends LoopCase {
    // r[verify loop.single-thread]
    @Test
    void everythingRunsOnOneThreadOneAtATime() throws InterruptedException {
        EventLoop loop = started();
        Set<Thread> threads = ConcurrentHashMap.newKeySet();
        AtomicInteger inside = new AtomicInteger();
        AtomicInteger overlaps = new AtomicInteger();
        CountDownLatch done = new CountDownLatch(4 * 2_000);
        Runnable task = () -> {
            overlaps.addAndGet(inside.getAndIncrement());
            threads.add(Thread.currentThread());
            inside.decrementAndGet();
            done.countDown();
        };
        for (int t = 0; t < 4; t++) {
            boolean timers = t % 2 == 0;
            new Thread(() -> {
                        for (int i = 0; i < 2_000; i++) {
                            if (timers) {
                                loop.schedule(Duration.ofNanos(i), task);
                            } else {
                                loop.execute(task);
                            }
                        }
                    })
                    .start();
        }
        assertTrue(done.await(LIMIT.toSeconds(), TimeUnit.SECONDS));
        assertEquals(0, overlaps.get());
        assertEquals(Set.of(loop.parts.thread.thread()), threads);
    }

    @Test
    void tasksOfOneThreadRunInTheirOrder() {
        EventLoop loop = started();
        List<Integer> ran = new ArrayList<>();
        for (int i = 0; i < 10_000; i++) {
            int number = i;
            loop.execute(() -> ran.add(number));
        }
        assertEquals(10_000, on(loop, ran::size));
        for (int i = 0; i < 10_000; i++) {
            assertEquals(i, ran.get(i));
        }
    }

    // r[verify loop.wakeup]
    @Test
    void aParkedLoopIsWokenByOneWriteAndABusyOneByNone() {
        EventLoop loop = started();
        awaitParked(loop);
        long before = loop.stats().wakeupsWritten();
        CountDownLatch release = new CountDownLatch(1);
        AtomicBoolean blocked = new AtomicBoolean();
        loop.execute(() -> {
            blocked.set(true);
            awaitUninterruptibly(release);
        });
        Deadline.after(LIMIT).await("the task runs", blocked::get);
        assertEquals(before + 1, loop.stats().wakeupsWritten());
        for (int i = 0; i < 1_000; i++) {
            loop.execute(() -> {});
        }
        assertEquals(before + 1, loop.stats().wakeupsWritten());
        release.countDown();
        on(loop, () -> true);
        assertTrue(loop.stats().wakeupsElided() >= 1_000);
    }

    // r[verify loop.wakeup]
    @Test
    void noPostToALoopThatKeepsParkingIsLost() {
        EventLoop loop = started();
        AtomicLong ran = new AtomicLong();
        // A slow machine has time for fewer posts; one that is lost shows by itself.
        Deadline enough = Deadline.after(LIMIT);
        for (long i = 1; i <= 50_000 && !enough.isOver(); i++) {
            Deadline deadline = Deadline.after(LIMIT);
            loop.execute(ran::incrementAndGet);
            while (ran.get() < i) {
                assertFalse(deadline.isOver(), "a wakeup was lost");
                Thread.onSpinWait();
            }
        }
        LoopStats stats = loop.stats();
        assertTrue(stats.wakeupsWritten() <= stats.parks() + 1, () -> stats.toString());
    }

    // r[verify loop.local-post]
    @Test
    void aPostFromTheLoopItselfNeitherWakesNorUsesTheSharedQueue() {
        EventLoop loop = started();
        long claimed = on(loop, () -> {
            long before = posts(loop);
            for (int i = 0; i < 1_000; i++) {
                loop.execute(() -> {});
            }
            assertEquals(1_000, loop.parts.local.size());
            return posts(loop) - before;
        });
        assertEquals(0, claimed);
    }

    // r[verify loop.fairness]
    @Test
    void aTaskThatPostsItselfForEverDelaysATimerByABatchAtMost() {
        EventLoop loop = open(options().batch(8));
        AtomicLong ran = new AtomicLong();
        AtomicLong ranWhenDue = new AtomicLong(-1);
        AtomicLong ranWhenPosted = new AtomicLong(-1);
        Runnable[] forever = new Runnable[1];
        forever[0] = () -> {
            ran.incrementAndGet();
            loop.execute(forever[0]);
        };
        loop.execute(forever[0]);
        loop.runSome();
        long before = ran.get();
        loop.schedule(Duration.ZERO, () -> ranWhenDue.set(ran.get()));
        Thread other = new Thread(() -> loop.execute(() -> ranWhenPosted.set(ran.get())));
        other.start();
        joinUninterruptibly(other);
        loop.runSome();
        assertTrue(
                ranWhenDue.get() >= 0 && ranWhenDue.get() - before <= 8, () -> "tasks before the timer: " + ranWhenDue);
        assertTrue(
                ranWhenPosted.get() >= 0 && ranWhenPosted.get() - before <= 8,
                () -> "before the post: " + ranWhenPosted);
    }

    // r[verify loop.fairness]
    @Test
    void anIterationRunsABatchOfEachKindAtMost() {
        EventLoop loop = open(options().batch(10));
        loop.runUntilEmpty();
        for (int i = 0; i < 25; i++) {
            loop.execute(() -> {});
            loop.schedule(Duration.ZERO, () -> {});
        }
        List<Integer> rounds = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            rounds.add(loop.runSome());
        }
        assertEquals(50, rounds.stream().mapToInt(n -> n).sum());
        assertTrue(rounds.stream().allMatch(n -> n <= 20), rounds::toString);
    }

    // r[verify loop.flush-before-block]
    @Test
    void readyWorkIsRunBeforeTheLoopParks() {
        EventLoop loop = open(options().batch(1));
        loop.runUntilEmpty();
        AtomicInteger ran = new AtomicInteger();
        for (int i = 0; i < 100; i++) {
            loop.execute(ran::incrementAndGet);
        }
        loop.execute(loop::requestStop);
        loop.run(RunMode.DRAINED);
        assertEquals(100, ran.get());
        assertEquals(0, loop.stats().parks());
        assertTrue(loop.stats().iterations() >= 100, "each batch is followed by a poll");
    }

    // r[verify loop.errors]
    @Test
    void aCallbackThatThrowsIsReportedAndTheLoopGoesOn() {
        EventLoop loop = started();
        IllegalStateException thrown = new IllegalStateException("planted");
        loop.execute(() -> {
            throw thrown;
        });
        loop.schedule(Duration.ZERO, () -> {
            throw new StackOverflowError("planted");
        });
        loop.execute(() -> sneak(new java.io.IOException("planted")));
        assertEquals("alive", on(loop, () -> "alive"));
        Deadline.after(LIMIT).await("three errors", () -> errors.size() == 3);
        assertTrue(errors.contains(thrown));
        assertEquals(3, loop.stats().failures());
    }

    // r[verify loop.errors]
    @Test
    void anErrorHandlerThatThrowsDoesNotEndTheLoop() {
        EventLoop loop = open(options().errorHandler((failed, error) -> {
            throw new IllegalStateException("planted in the handler");
        }));
        loop.start();
        loop.execute(() -> {
            throw new IllegalArgumentException("planted");
        });
        assertEquals("alive", on(loop, () -> "alive"));
    }

    // r[verify loop.errors]
    @Test
    void anErrorOfTheVmEndsTheLoop() {
        EventLoop loop = open();
        AtomicBoolean closed = new AtomicBoolean();
        loop.register(() -> closed.set(true));
        TimerHandle timer = loop.schedule(Duration.ofHours(1), () -> {});
        loop.execute(() -> {
            throw new InternalError("planted");
        });
        assertThrows(InternalError.class, () -> loop.run(RunMode.STOPPED));
        assertTrue(loop.isTerminated());
        assertTrue(closed.get());
        Deadline.after(LIMIT).await("the timer is cancelled", timer::isCancelled);
    }

    @Test
    void aLoopIsCurrentOnItsOwnThreadOnly() {
        EventLoop loop = started();
        assertNull(EventLoop.currentOrNull());
        assertThrows(IllegalStateException.class, EventLoop::current);
        assertSame(loop, on(loop, EventLoop::current));
        assertFalse(loop.inLoop());
        assertTrue(on(loop, loop::inLoop));
    }

    @Test
    @SuppressWarnings("NullAway")
    void nullIsRefusedAtTheCall() {
        EventLoop loop = open();
        assertThrows(NullPointerException.class, () -> loop.execute(null));
        assertThrows(NullPointerException.class, () -> loop.schedule(Duration.ZERO, null));
    }

    @SuppressWarnings("unchecked")
    private static <T extends Throwable> void sneak(Throwable t) throws T {
        throw (T) t;
    }
}

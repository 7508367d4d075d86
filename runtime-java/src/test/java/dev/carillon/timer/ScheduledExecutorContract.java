package dev.carillon.timer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.loop.LoopCase;
import dev.carillon.test.Deadline;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What the contract of ScheduledExecutorService says, for executors with one thread; the JDK's own one is held against it, too. */
abstract class ScheduledExecutorContract {
    static final Duration LIMIT = LoopCase.LIMIT;
    static final long SECONDS = LIMIT.toSeconds();

    protected abstract ScheduledExecutorService executor();

    @AfterEach
    void shutDown() {
        executor().shutdownNow();
    }

    static <T> T get(Future<T> future) throws Exception {
        return future.get(SECONDS, TimeUnit.SECONDS);
    }

    @Test
    void aTaskRunsInItsTimeAndNeverEarly() throws Exception {
        List<ScheduledFuture<Long>> waiting = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            long due = System.nanoTime() + i * 100_000L;
            waiting.add(executor().schedule(() -> System.nanoTime() - due, i * 100L, TimeUnit.MICROSECONDS));
        }
        for (ScheduledFuture<Long> late : waiting) {
            assertTrue(get(late) >= 0);
            assertTrue(late.isDone());
            assertFalse(late.isCancelled());
            assertFalse(late.cancel(true));
        }
        assertNull(get(executor().schedule(() -> {}, -5, TimeUnit.DAYS)));
        assertNull(get(executor().schedule(() -> {}, Long.MIN_VALUE, TimeUnit.NANOSECONDS)));
    }

    @Test
    void tasksOfOneThreadRunInTheirOrder() throws Exception {
        List<Integer> order = Collections.synchronizedList(new ArrayList<>());
        List<Integer> expected = new ArrayList<>();
        List<Future<?>> submitted = new ArrayList<>();
        for (int i = 0; i < 100; i += 2) {
            int number = i;
            executor().execute(() -> order.add(number));
            submitted.add(executor().submit(() -> order.add(number + 1)));
            expected.addAll(List.of(i, i + 1));
        }
        assertEquals("last", get(executor().submit(() -> {}, "last")));
        assertEquals(expected, order);
        assertTrue(submitted.stream().allMatch(Future::isDone));
    }

    @Test
    void whatATaskThrowsIsInItsFuture() {
        Callable<String> failing = () -> {
            throw new IllegalStateException("thrown");
        };
        for (Future<String> failed :
                List.of(executor().submit(failing), executor().schedule(failing, 1, TimeUnit.MICROSECONDS))) {
            ExecutionException failure = assertThrows(ExecutionException.class, () -> get(failed));
            LoopCase.assertMessage(failure.getCause(), "thrown");
            assertTrue(failed.isDone());
        }
    }

    @Test
    void aFixedRateKeepsItsGridAndStopsWhenItIsCancelled() {
        AtomicInteger early = new AtomicInteger();
        AtomicInteger count = new AtomicInteger();
        long begun = System.nanoTime();
        ScheduledFuture<?> rate = executor()
                .scheduleAtFixedRate(
                        () -> early.addAndGet(System.nanoTime() < begun + 500_000L * count.getAndIncrement() ? 1 : 0),
                        0,
                        500,
                        TimeUnit.MICROSECONDS);
        Deadline.after(LIMIT).await("it runs again and again", () -> count.get() > 20);
        assertEquals(0, early.get());
        assertFalse(rate.isDone());
        assertTrue(rate.cancel(false));
        assertTrue(rate.isCancelled() && rate.isDone());
        assertThrows(CancellationException.class, () -> get(rate));
        assertStands(count);
    }

    /** One run may be under way; what is posted twice comes after it and after the next. */
    final void assertStands(AtomicInteger count) {
        assertAnswers();
        int seen = count.get();
        assertAnswers();
        assertAnswers();
        assertEquals(seen, count.get());
    }

    private void assertAnswers() {
        try {
            get(executor().submit(() -> {}));
        } catch (Exception failure) {
            throw new AssertionError(failure);
        }
    }

    // r[verify timer.executor-interrupt]
    @Test
    void anInterruptThatATaskLeavesDoesNotReachTheNextOne() throws Exception {
        AtomicInteger reached = new AtomicInteger();
        Runnable task = () -> {
            reached.addAndGet(Thread.currentThread().isInterrupted() ? 1 : 0);
            Thread.currentThread().interrupt();
        };
        AtomicInteger ticks = new AtomicInteger();
        ScheduledFuture<?> rate = executor()
                .scheduleAtFixedRate(
                        () -> {
                            task.run();
                            ticks.incrementAndGet();
                        },
                        0,
                        100,
                        TimeUnit.MICROSECONDS);
        Deadline.after(LIMIT).await("it ticks", () -> ticks.get() > 2);
        rate.cancel(false);
        get(executor().submit(task));
        get(executor().schedule(task, 0, TimeUnit.SECONDS));
        executor().execute(task);
        get(executor().submit(task));
        assertEquals(0, reached.get());
    }

    @Test
    void aFixedDelayBeginsWhenTheRunHasEnded() {
        AtomicLong ended = new AtomicLong(Long.MIN_VALUE);
        AtomicInteger early = new AtomicInteger();
        AtomicInteger count = new AtomicInteger();
        ScheduledFuture<?> delay = executor()
                .scheduleWithFixedDelay(
                        () -> {
                            if (count.getAndIncrement() > 0 && System.nanoTime() - ended.get() < 2_000_000) {
                                early.incrementAndGet();
                            }
                            long until = System.nanoTime() + 1_000_000;
                            while (System.nanoTime() < until) {
                                Thread.onSpinWait();
                            }
                            ended.set(System.nanoTime());
                        },
                        0,
                        2,
                        TimeUnit.MILLISECONDS);
        Deadline.after(LIMIT).await("it runs again and again", () -> count.get() > 5);
        delay.cancel(false);
        assertEquals(0, early.get());
    }

    @Test
    void aPeriodicTaskThatThrowsEndsAndItsFutureTells() {
        AtomicInteger count = new AtomicInteger();
        ScheduledFuture<?> failing = executor()
                .scheduleAtFixedRate(
                        () -> {
                            if (count.incrementAndGet() == 3) {
                                throw new IllegalStateException("third");
                            }
                        },
                        0,
                        10,
                        TimeUnit.MICROSECONDS);
        ExecutionException failure = assertThrows(ExecutionException.class, () -> get(failing));
        LoopCase.assertMessage(failure.getCause(), "third");
        assertStands(count);
        assertEquals(3, count.get());
    }

    @Test
    void aPeriodicTaskCanCancelItself() {
        AtomicInteger count = new AtomicInteger();
        List<ScheduledFuture<?>> self = new ArrayList<>();
        CountDownLatch known = new CountDownLatch(1);
        self.add(executor()
                .scheduleWithFixedDelay(
                        () -> {
                            LoopCase.awaitUninterruptibly(known);
                            count.incrementAndGet();
                            self.get(0).cancel(false);
                        },
                        0,
                        1,
                        TimeUnit.MICROSECONDS));
        known.countDown();
        assertThrows(CancellationException.class, () -> get(self.get(0)));
        assertStands(count);
        assertEquals(1, count.get());
    }

    @Test
    void aCancelledTaskNeverRunsAndIsLetGo() throws Exception {
        AtomicInteger ran = new AtomicInteger();
        byte[] large = new byte[1000];
        WeakReference<byte[]> held = new WeakReference<>(large);
        // The one thread is kept, so that the task cannot run before its cancel, however late that comes.
        CountDownLatch cancelled = new CountDownLatch(1);
        executor().execute(() -> LoopCase.awaitUninterruptibly(cancelled));
        ScheduledFuture<?> later = scheduleWith(large, ran);
        large = null;
        assertTrue(later.cancel(true));
        cancelled.countDown();
        assertFalse(later.cancel(true));
        assertTrue(later.isCancelled() && later.isDone());
        assertThrows(CancellationException.class, () -> get(later));
        Deadline.after(LIMIT).await("its task is let go", () -> {
            System.gc();
            return held.get() == null;
        });
        executor().shutdown();
        assertTrue(executor().awaitTermination(SECONDS, TimeUnit.SECONDS));
        assertEquals(0, ran.get());
    }

    /** In a method of its own, which leaves no reference in a frame. */
    private ScheduledFuture<?> scheduleWith(byte[] large, AtomicInteger ran) {
        return executor().schedule(() -> ran.addAndGet(large.length), 50, TimeUnit.MILLISECONDS);
    }

    @Test
    void delaysAreToldAndOrdered() {
        ScheduledFuture<?> hour = executor().schedule(() -> {}, 1, TimeUnit.HOURS);
        ScheduledFuture<?> sameHour = executor().scheduleAtFixedRate(() -> {}, 60, 1, TimeUnit.MINUTES);
        ScheduledFuture<?> minute = executor().scheduleWithFixedDelay(() -> {}, 1, 60, TimeUnit.MINUTES);
        ScheduledFuture<?> never = executor().schedule(() -> {}, Long.MAX_VALUE, TimeUnit.DAYS);
        long left = hour.getDelay(TimeUnit.NANOSECONDS);
        assertTrue(left <= TimeUnit.HOURS.toNanos(1) && left > TimeUnit.MINUTES.toNanos(30), () -> "left=" + left);
        assertTrue(hour.getDelay(TimeUnit.MINUTES) <= 60);
        assertTrue(never.getDelay(TimeUnit.DAYS) > 36_000);
        assertTrue(minute.compareTo(hour) < 0 && hour.compareTo(minute) > 0);
        assertTrue(hour.compareTo(sameHour) < 0 && hour.compareTo(never) < 0);
        assertThrows(TimeoutException.class, () -> hour.get(1, TimeUnit.MILLISECONDS));
    }

    @Test
    void badInputIsRefused() {
        for (long period : new long[] {0, -1, Long.MIN_VALUE}) {
            assertThrows(
                    IllegalArgumentException.class,
                    () -> executor().scheduleAtFixedRate(() -> {}, 0, period, TimeUnit.SECONDS));
            assertThrows(
                    IllegalArgumentException.class,
                    () -> executor().scheduleWithFixedDelay(() -> {}, 0, period, TimeUnit.SECONDS));
        }
        executor().shutdown();
        assertTrue(executor().isTerminated(), "nothing was taken in");
    }

    @Test
    void allAreInvokedAndTheFirstGoodOneOfAnyWins() throws Exception {
        Callable<Integer> bad = () -> {
            throw new IllegalStateException("bad");
        };
        Callable<Integer> good = () -> 7;
        List<Future<Integer>> all = executor().invokeAll(List.of(good, bad, good));
        assertEquals(3, all.stream().filter(Future::isDone).count());
        assertEquals(7, all.get(0).get().intValue());
        assertThrows(ExecutionException.class, () -> all.get(1).get());
        assertEquals(7, all.get(2).get().intValue());
        assertEquals(7, executor().invokeAny(List.of(bad, good)).intValue());
        assertThrows(ExecutionException.class, () -> executor().invokeAny(List.of(bad, bad)));
        assertEquals(
                7,
                executor().invokeAny(List.of(good), SECONDS, TimeUnit.SECONDS).intValue());
        assertEquals(
                7,
                executor()
                        .invokeAll(List.of(good), SECONDS, TimeUnit.SECONDS)
                        .get(0)
                        .get()
                        .intValue());
    }

    @Test
    void afterAShutdownWhatWaitsStillRunsAndWhatRepeatsIsCancelled() throws Exception {
        AtomicInteger count = new AtomicInteger();
        ScheduledFuture<String> later = executor().schedule(() -> "ran", 20, TimeUnit.MILLISECONDS);
        ScheduledFuture<?> rate = executor().scheduleAtFixedRate(count::incrementAndGet, 0, 100, TimeUnit.MICROSECONDS);
        Deadline.after(LIMIT).await("it repeats", () -> count.get() > 2);
        assertFalse(executor().isShutdown());
        executor().shutdown();
        executor().shutdown();
        assertTrue(executor().isShutdown());
        assertThrows(CancellationException.class, () -> get(rate));
        assertThrows(RejectedExecutionException.class, () -> executor().execute(() -> {}));
        assertThrows(RejectedExecutionException.class, () -> executor().submit(() -> {}));
        assertThrows(RejectedExecutionException.class, () -> executor().schedule(() -> {}, 0, TimeUnit.SECONDS));
        assertThrows(
                RejectedExecutionException.class,
                () -> executor().scheduleAtFixedRate(() -> {}, 0, 1, TimeUnit.SECONDS));
        assertEquals("ran", get(later));
        assertTrue(executor().awaitTermination(SECONDS, TimeUnit.SECONDS));
        assertTrue(executor().isTerminated());
    }

    @Test
    void shutdownNowReturnsWhatWaitedAndNothingBeginsAnyMore() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        AtomicInteger ran = new AtomicInteger();
        executor().execute(() -> {
            begun.countDown();
            LoopCase.awaitUninterruptibly(goOn);
            ran.incrementAndGet();
        });
        assertTrue(begun.await(SECONDS, TimeUnit.SECONDS));
        executor().execute(() -> ran.addAndGet(100));
        List<Future<?>> waiting = List.of(
                executor().schedule(() -> ran.addAndGet(100), 1, TimeUnit.MICROSECONDS),
                executor().scheduleAtFixedRate(() -> ran.addAndGet(100), 0, 1, TimeUnit.MICROSECONDS),
                executor().schedule(() -> ran.addAndGet(100), 1, TimeUnit.HOURS));
        // The pool of the JDK interrupts the one that runs.
        assertEquals(waiting.size() + 1, executor().shutdownNow().size());
        goOn.countDown();
        assertTrue(executor().isShutdown());
        assertTrue(executor().awaitTermination(SECONDS, TimeUnit.SECONDS));
        assertTrue(ran.get() <= 1, () -> "ran=" + ran);
        assertEquals(List.of(), executor().shutdownNow());
    }

    @Test
    void theEndComesWhenTheLastTaskHasComeBack() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        ScheduledFuture<?> running = executor()
                .schedule(
                        () -> {
                            begun.countDown();
                            LoopCase.awaitUninterruptibly(goOn);
                        },
                        0,
                        TimeUnit.SECONDS);
        assertTrue(begun.await(SECONDS, TimeUnit.SECONDS));
        assertTrue(running.cancel(false));
        executor().shutdown();
        assertFalse(executor().awaitTermination(5, TimeUnit.MILLISECONDS), "it still runs");
        goOn.countDown();
        assertTrue(executor().awaitTermination(SECONDS, TimeUnit.SECONDS));
    }
}

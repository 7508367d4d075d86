package dev.carillon.loop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.test.Deadline;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** Binding, run modes, stopping and closing. */
abstract class LoopRunContract extends LoopCase {
    // r[verify loop.run-modes]
    @Test
    void runOneRunsOneCallbackAndTellsSo() {
        EventLoop loop = open();
        List<Integer> ran = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            int number = i;
            loop.execute(() -> ran.add(number));
        }
        assertEquals(1, loop.runOne());
        assertEquals(List.of(0), ran);
        assertEquals(1, loop.runOne());
        assertEquals(1, loop.runOne());
        assertEquals(List.of(0, 1, 2), ran);
    }

    // r[verify loop.run-modes]
    @Test
    void runOneRunsATimerOrATaskAndNotBoth() {
        EventLoop loop = open();
        List<String> ran = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            loop.execute(() -> ran.add("task"));
            loop.schedule(Duration.ZERO, () -> ran.add("timer"));
        }
        for (int i = 1; i <= 10; i++) {
            assertEquals(1, loop.runOne());
            assertEquals(i, ran.size());
        }
        assertEquals(5, Collections.frequency(ran, "timer"));
    }

    /** A thread that stands still until the timer is due has nothing to block for. Then it tries again. */
    // r[verify loop.run-modes]
    @Test
    void runOneBlocksOnceAtMost() {
        EventLoop loop = open();
        for (int millis = 20; millis <= 10_240 && loop.stats().parks() == 0; millis *= 2) {
            long due = loop.nanoTime() + Duration.ofMillis(millis).toNanos();
            loop.scheduleAt(due, () -> {});
            assertEquals(1, loop.runOne());
            assertTrue(loop.nanoTime() >= due);
        }
        assertEquals(1, loop.stats().parks());
    }

    // r[verify loop.run-modes]
    @Test
    void runUntilEmptyNeverBlocksAndRunsWhatFollows() {
        EventLoop loop = open();
        loop.schedule(Duration.ofHours(1), () -> {});
        loop.execute(() -> loop.execute(() -> loop.execute(() -> {})));
        assertEquals(3, loop.runUntilEmpty());
        assertEquals(0, loop.runUntilEmpty());
        assertEquals(0, loop.stats().parks());
    }

    // r[verify loop.run-modes]
    @Test
    void drainedComesBackOnlyWhenNoTimerAndNoTaskIsLeft() {
        EventLoop loop = open();
        AtomicBoolean late = new AtomicBoolean();
        loop.execute(() -> {
            loop.requestStop();
            loop.schedule(Duration.ofMillis(20), () -> loop.execute(() -> late.set(true)));
        });
        loop.run(RunMode.DRAINED);
        assertTrue(late.get());
        assertTrue(loop.isTerminated());
    }

    // r[verify loop.run-modes] r[verify timer.extremes]
    @Test
    void drainedDoesNotWaitForTimersThatNeverCome() throws Exception {
        EventLoop loop = open();
        List<TimerHandle> timers = new ArrayList<>();
        AtomicLong told = new AtomicLong();
        AtomicBoolean late = new AtomicBoolean();
        LoopTask never = new LoopTask() {
            @Override
            public void run() {
                throw new IllegalStateException("it came");
            }

            @Override
            public void onLoopEnd() {
                told.incrementAndGet();
            }
        };
        loop.execute(() -> {
            timers.add(loop.scheduleAt(Long.MAX_VALUE, never));
            timers.add(loop.schedule(Duration.ofSeconds(Long.MAX_VALUE), never));
            loop.schedule(Duration.ofMillis(20), () -> late.set(true));
            loop.requestStop();
        });
        Deadline.call(LIMIT, () -> loop.run(RunMode.DRAINED));
        assertTrue(late.get());
        assertEquals(2, told.get());
        assertTrue(timers.stream().allMatch(TimerHandle::isCancelled));
        assertTrue(errors.isEmpty(), errors::toString);
    }

    // r[verify loop.run-modes]
    @Test
    void stoppedComesBackAndCancelsWhatIsLeft() {
        EventLoop loop = open();
        AtomicBoolean accepted = new AtomicBoolean();
        TimerHandle timer = loop.schedule(Duration.ofHours(1), () -> {});
        loop.execute(() -> {
            loop.requestStop();
            loop.execute(() -> accepted.set(true));
        });
        assertTrue(Deadline.after(LIMIT).remaining().toNanos() > 0);
        loop.run(RunMode.STOPPED);
        assertTrue(accepted.get());
        assertTrue(timer.isCancelled());
    }

    // r[verify loop.stop]
    @Test
    void afterAStopOtherThreadsAreRejectedAndTheLoopThreadIsNotUntilDrained() throws InterruptedException {
        EventLoop loop = open();
        AtomicReference<Throwable> rejection = new AtomicReference<>();
        AtomicLong ran = new AtomicLong();
        CountDownLatch tried = new CountDownLatch(1);
        loop.execute(() -> {
            loop.requestStop();
            Thread other = new Thread(() -> {
                rejection.set(assertThrows(RejectedExecutionException.class, () -> loop.execute(() -> {})));
                assertThrows(RejectedExecutionException.class, () -> loop.schedule(Duration.ZERO, () -> {}));
                tried.countDown();
            });
            other.start();
            LoopCase.awaitUninterruptibly(tried);
            loop.execute(() -> loop.execute(ran::incrementAndGet));
        });
        loop.run(RunMode.DRAINED);
        assertEquals(1, ran.get());
        assertMessage(rejection.get(), "stopping");
        assertThrows(RejectedExecutionException.class, () -> loop.execute(() -> {}));
    }

    // r[verify loop.stop]
    @Test
    void whatWasAcceptedRunsExactlyOnceWhileThreadsPostAndTheLoopStops() throws InterruptedException {
        for (int round = 0; round < 100; round++) {
            EventLoop loop = open();
            loop.start();
            AtomicLong accepted = new AtomicLong();
            AtomicLong ran = new AtomicLong();
            List<Thread> posters = new ArrayList<>();
            for (int t = 0; t < 3; t++) {
                Thread poster = new Thread(() -> {
                    try {
                        while (true) {
                            loop.execute(ran::incrementAndGet);
                            accepted.incrementAndGet();
                        }
                    } catch (RejectedExecutionException stopped) {
                        assertTrue(loop.isStopping());
                    }
                });
                posters.add(poster);
                poster.start();
            }
            Deadline.after(LIMIT).await("tasks run", () -> ran.get() > 100);
            loop.requestStop();
            assertTrue(loop.awaitTermination(LIMIT));
            for (Thread poster : posters) {
                poster.join(LIMIT.toMillis());
            }
            assertEquals(accepted.get(), ran.get());
        }
    }

    // r[verify loop.stop]
    @Test
    void servicesAreClosedFirstTheLastOneFirstAndOnTheLoopThread() throws InterruptedException {
        EventLoop loop = open();
        List<String> order = new ArrayList<>();
        TimerHandle timer = loop.schedule(Duration.ofHours(1), () -> {});
        loop.register(() -> order.add("first " + loop.inLoop() + " " + timer.isPending()));
        loop.register(() -> {
            order.add("failing " + loop.inLoop());
            throw new IllegalStateException("planted");
        });
        LoopService removed = () -> order.add("removed");
        loop.register(removed);
        assertTrue(loop.unregister(removed));
        loop.start();
        loop.requestStop();
        assertTrue(loop.awaitTermination(LIMIT));
        assertEquals(List.of("failing true", "first true true"), order);
        assertEquals(1, errors.size());
        assertThrows(RejectedExecutionException.class, () -> loop.register(removed));
    }

    // r[verify loop.binding]
    @Test
    void aLoopBelongsToTheFirstThreadThatRunsIt() {
        EventLoop loop = open();
        loop.runUntilEmpty();
        IllegalStateException failure = assertThrows(IllegalStateException.class, () -> onOtherThread(loop::runOne));
        assertMessage(failure, "belongs to thread " + Thread.currentThread().getName());
        assertMessage(assertThrows(IllegalStateException.class, loop::start), "one thread for life");
    }

    // r[verify loop.binding]
    @Test
    void aStartedLoopCannotBeRunOrStartedAgain() {
        EventLoop loop = started();
        assertThrows(IllegalStateException.class, loop::runSome);
        assertThrows(IllegalStateException.class, loop::start);
    }

    // r[verify loop.binding]
    @Test
    void aCallbackCannotRunALoop() {
        EventLoop loop = started();
        EventLoop other = open();
        assertMessage(on(loop, () -> assertThrows(IllegalStateException.class, loop::runOne)), "runs");
        assertMessage(on(loop, () -> assertThrows(IllegalStateException.class, other::runOne)), "runs");
    }

    // r[verify loop.binding]
    @Test
    void waitsThatWouldNeverEndAreRefusedWithAdvice() {
        EventLoop loop = started();
        EventLoop other = started();
        EventLoop idle = open();
        EventLoop mine = open();
        mine.runUntilEmpty();
        assertMessage(waiting(idle), "nobody runs");
        assertMessage(waiting(mine), "its own thread");
        assertMessage(on(loop, () -> waiting(loop)), "its own thread");
        assertMessage(on(loop, () -> waiting(other)), "whenComplete");
    }

    private static Throwable waiting(EventLoop loop) {
        return assertThrows(IllegalStateException.class, () -> loop.awaitTermination(Duration.ofSeconds(1)));
    }

    @Test
    void awaitTerminationReturnsFalseWhenItsTimeIsOver() throws InterruptedException {
        assertFalse(started().awaitTermination(Duration.ofMillis(1)));
    }

    @Test
    void closingALoopThatNobodyRunsRunsWhatItAccepted() {
        EventLoop loop = open();
        AtomicBoolean ran = new AtomicBoolean();
        loop.execute(() -> ran.set(true));
        loop.close();
        assertTrue(ran.get());
        assertTrue(loop.isTerminated());
        assertMessage(assertThrows(IllegalStateException.class, loop::runOne), "closed");
        loop.close();
    }

    // r[verify loop.binding]
    @Test
    void aLoopThatNobodyRunsIsEndedFromACallbackOfAnother() {
        EventLoop loop = started();
        EventLoop unrun = open();
        AtomicBoolean ran = new AtomicBoolean();
        unrun.execute(() -> ran.set(unrun.inLoop() && EventLoop.current() == unrun));
        on(loop, () -> {
            unrun.close();
            assertTrue(unrun.isTerminated());
            assertTrue(loop.inLoop());
            assertTrue(EventLoop.current() == loop);
            return true;
        });
        assertTrue(ran.get());
        EventLoop between = open();
        onOtherThread(between::runUntilEmpty);
        on(loop, () -> {
            between.close();
            return true;
        });
        assertTrue(between.isTerminated());
    }

    // r[verify loop.stop]
    @Test
    void whatItsIdleThreadPostsWhileAnotherEndsTheLoopIsRunOrRefused() {
        // A slow machine has time for fewer rounds.
        Deadline enough = Deadline.after(LIMIT.multipliedBy(3));
        for (int round = 0; round < 2_000 && !enough.isOver(); round++) {
            EventLoop loop = open();
            loop.runUntilEmpty();
            AtomicLong ran = new AtomicLong();
            AtomicBoolean go = new AtomicBoolean();
            Thread closer = new Thread(() -> {
                while (!go.get()) {
                    Thread.onSpinWait();
                }
                loop.close();
            });
            closer.start();
            long accepted = 0;
            try {
                for (int i = 0; i < 100_000; i++) {
                    loop.execute(ran::incrementAndGet);
                    accepted++;
                    go.set(i > round % 100);
                }
            } catch (RejectedExecutionException ended) {
                assertTrue(loop.isStopping());
            }
            LoopCase.joinUninterruptibly(closer);
            assertEquals(accepted, ran.get(), "round " + round);
            assertTrue(errors.isEmpty(), errors::toString);
        }
    }

    @Test
    void closingALoopOfAnotherThreadThatIsBetweenTwoRunsEndsIt() {
        EventLoop loop = open();
        onOtherThread(loop::runUntilEmpty);
        loop.close();
        assertTrue(loop.isTerminated());
    }

    @Test
    void closingFromACallbackEndsTheLoopAfterIt() throws InterruptedException {
        EventLoop loop = started();
        loop.execute(loop::close);
        assertTrue(loop.awaitTermination(LIMIT));
    }

    @Test
    void closingRightAfterTheStartEndsTheLoop() {
        for (int i = 0; i < 200; i++) {
            EventLoop loop = started();
            loop.close();
            assertTrue(loop.isTerminated());
        }
    }

    @Test
    void closingEndsALoopThatIsBeingDrained() {
        EventLoop loop = open();
        loop.schedule(Duration.ofHours(1), () -> {});
        Thread runner = new Thread(() -> loop.run(RunMode.DRAINED));
        runner.start();
        awaitParked(loop);
        loop.requestStop();
        assertFalse(loop.isTerminated());
        loop.close();
        assertTrue(loop.isTerminated());
        LoopCase.joinUninterruptibly(runner);
    }

    private static int onOtherThread(java.util.function.IntSupplier action) {
        AtomicReference<Object> result = new AtomicReference<>();
        Thread thread = new Thread(() -> {
            try {
                result.set(action.getAsInt());
            } catch (RuntimeException e) {
                result.set(e);
            }
        });
        thread.start();
        LoopCase.joinUninterruptibly(thread);
        if (result.get() instanceof RuntimeException failure) {
            throw failure;
        }
        return (int) Objects.requireNonNull(result.get());
    }
}

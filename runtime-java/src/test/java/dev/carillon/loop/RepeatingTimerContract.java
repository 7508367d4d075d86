package dev.carillon.loop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.test.Deadline;
import dev.carillon.test.Seeded;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Timers that tick: on the grid or by the rule, until they are cancelled. The clock is the test's where time decides. */
abstract class RepeatingTimerContract extends LoopCase {
    private static final Duration HOUR = Duration.ofHours(1);
    private static final Duration TEN = Duration.ofNanos(10_000);

    private final AtomicLong clock = new AtomicLong(1_000_000);
    private final long start = clock.get();
    private final List<String> ticks = new ArrayList<>();

    private EventLoop onTestClock() {
        return open(options().clock(clock::get));
    }

    /** Sets the clock to so many thousand nanoseconds after its start, and runs what is due. */
    private void runAt(EventLoop loop, int thousands) {
        clock.set(start + thousands * 1_000L);
        loop.runUntilEmpty();
    }

    private TickTask note(int takes) {
        AtomicInteger count = new AtomicInteger();
        return tick -> {
            ticks.add((tick.thisTick() - start) / 1_000 + "@" + (clock.get() - start) / 1_000 + "-" + tick.missed());
            if (count.incrementAndGet() == 1) {
                clock.addAndGet(takes * 1_000L);
            }
        };
    }

    // r[verify timer.missed]
    @Test
    void skipDropsWhatWasMissedAndStaysOnTheGrid() {
        EventLoop loop = onTestClock();
        RepeatingTimer timer = loop.scheduleRepeating(TEN, TEN, MissedTicks.SKIP, note(25));
        runAt(loop, 10);
        assertEquals(start + 40_000, timer.nextTick());
        runAt(loop, 39);
        runAt(loop, 40);
        runAt(loop, 77);
        runAt(loop, 79);
        runAt(loop, 80);
        assertEquals(List.of("10@10-0", "40@40-2", "70@77-2", "80@80-0"), ticks);
    }

    // r[verify timer.missed]
    @Test
    void catchUpRunsAllThatWereMissedAndIsOnTheGridAgain() {
        EventLoop loop = onTestClock();
        RepeatingTimer timer = loop.scheduleRepeating(TEN, TEN, MissedTicks.CATCH_UP, note(25));
        runAt(loop, 10);
        assertEquals(List.of("10@10-0", "20@35-1", "30@35-0"), ticks);
        assertEquals(start + 40_000, timer.nextTick());
        ticks.clear();
        runAt(loop, 39);
        runAt(loop, 61);
        assertEquals(List.of("40@61-2", "50@61-1", "60@61-0"), ticks);
    }

    // r[verify timer.missed]
    @Test
    void delayCountsFromTheEndOfTheRun() {
        EventLoop loop = onTestClock();
        RepeatingTimer timer = loop.scheduleRepeating(TEN, TEN, MissedTicks.DELAY, note(25));
        runAt(loop, 12);
        assertEquals(start + 47_000, timer.nextTick());
        runAt(loop, 46);
        runAt(loop, 99);
        runAt(loop, 108);
        runAt(loop, 109);
        assertEquals(List.of("10@12-0", "47@99-0", "109@109-0"), ticks);
    }

    // r[verify timer.repeat]
    @Test
    void aMillionTicksDoNotDriftFromTheGrid(@Seeded SplittableRandom random) {
        EventLoop loop = onTestClock();
        for (MissedTicks rule : List.of(MissedTicks.SKIP, MissedTicks.CATCH_UP)) {
            long begun = clock.get();
            long period = random.nextLong(1_000, 1_000_000);
            long[] wrong = new long[1];
            long[] count = new long[1];
            RepeatingTimer timer = loop.scheduleRepeating(Duration.ZERO, Duration.ofNanos(period), rule, tick -> {
                count[0] += 1 + (rule == MissedTicks.SKIP ? tick.missed() : 0);
                boolean onGrid = tick.thisTick() == begun + (count[0] - 1) * period;
                boolean early = clock.get() < tick.thisTick();
                wrong[0] += onGrid && !early ? 0 : 1;
                clock.addAndGet(random.nextInt(100) == 0 ? random.nextLong(5 * period) : 10);
            });
            while (count[0] < 500_000) {
                clock.addAndGet(random.nextLong(2 * period));
                loop.runUntilEmpty();
            }
            assertTrue(timer.cancel());
            assertEquals(0, wrong[0], rule + ", period=" + period);
        }
    }

    // r[verify timer.missed]
    @Test
    void othersHaveTheirTurnWhileATimerThatNeverCatchesUpTries() {
        EventLoop loop = onTestClock();
        AtomicInteger caughtUp = new AtomicInteger();
        AtomicInteger atTimer = new AtomicInteger();
        AtomicInteger atTask = new AtomicInteger();
        RepeatingTimer slow = loop.scheduleRepeating(Duration.ZERO, TEN, MissedTicks.CATCH_UP, tick -> {
            clock.addAndGet(3 * TEN.toNanos());
            caughtUp.incrementAndGet();
        });
        loop.schedule(TEN.multipliedBy(10), () -> atTimer.set(caughtUp.get()));
        loop.execute(() -> loop.execute(() -> atTask.set(caughtUp.get())));
        while ((atTimer.get() == 0 || atTask.get() == 0) && caughtUp.get() < 1_000) {
            loop.runSome();
        }
        slow.cancel();
        // The other timer is due while the 4th callback runs. By its own time the 10th one would go before it.
        assertEquals(4, atTimer.get());
        assertTrue(atTask.get() <= 4, "the task ran after " + atTask + " ticks");
    }

    // r[verify timer.missed]
    @Test
    void aClockThatStandsStillEndsATurnWithABatch() {
        EventLoop loop = open(options().clock(clock::get).batch(16));
        AtomicInteger ticked = new AtomicInteger();
        AtomicInteger when = new AtomicInteger(-1);
        RepeatingTimer timer = loop.scheduleRepeating(TEN, TEN, MissedTicks.CATCH_UP, tick -> ticked.incrementAndGet());
        clock.addAndGet(1_000 * TEN.toNanos());
        loop.runSome();
        loop.execute(() -> when.set(ticked.get()));
        while (when.get() < 0) {
            loop.runSome();
        }
        assertTrue(when.get() <= 64, "others wait for a batch or some, not for " + when);
        loop.runUntilEmpty();
        assertEquals(1_000, ticked.get());
        timer.cancel();
    }

    // r[verify timer.repeat-cancel]
    @Test
    void aCancelWithinTheCallbackEndsTheTicks() {
        EventLoop loop = onTestClock();
        List<Boolean> cancelled = new ArrayList<>();
        RepeatingTimer timer = loop.scheduleRepeating(TEN, TEN, MissedTicks.SKIP, tick -> {
            cancelled.add(tick.isPending());
            cancelled.add(tick.cancel());
            cancelled.add(tick.cancel());
        });
        runAt(loop, 10);
        runAt(loop, 20);
        runAt(loop, 30);
        assertEquals(List.of(true, true, false), cancelled);
        assertTrue(timer.isCancelled());
        assertFalse(timer.isPending());
        assertEquals(1, loop.stats().timers());
    }

    // r[verify timer.repeat-cancel]
    @Test
    void noCallbackBeginsAfterACancelOfAnotherThread() {
        EventLoop loop = started();
        List<MissedTicks> rules = List.of(MissedTicks.values());
        for (int i = 0; i < 2_000; i++) {
            AtomicInteger begun = new AtomicInteger();
            AtomicInteger ended = new AtomicInteger();
            MissedTicks rule = rules.get(i % rules.size());
            RepeatingTimer timer = loop.scheduleRepeating(Duration.ZERO, Duration.ofNanos(1_000), rule, tick -> {
                begun.incrementAndGet();
                Thread.onSpinWait();
                ended.incrementAndGet();
            });
            Deadline.after(LIMIT).await("it ticks", () -> begun.get() > 2);
            assertTrue(timer.cancel());
            // One callback may run at this moment. The loop is asked twice: its posts come behind that one.
            int seen = on(loop, begun::get);
            assertEquals(seen, on(loop, begun::get), "it ticks on");
            assertEquals(seen, ended.get());
            assertFalse(timer.cancel());
        }
        assertEquals(List.of(), List.copyOf(errors));
    }

    // r[verify timer.repeat-cancel]
    @Test
    void manyCancelsAtOnceWinOnce() {
        EventLoop loop = started();
        for (int i = 0; i < 300; i++) {
            RepeatingTimer timer =
                    loop.scheduleRepeating(Duration.ZERO, Duration.ofNanos(1_000), MissedTicks.CATCH_UP, tick -> {});
            AtomicInteger won = new AtomicInteger();
            CountDownLatch go = new CountDownLatch(1);
            List<Thread> threads = new ArrayList<>();
            for (int t = 0; t < 3; t++) {
                Thread thread = new Thread(() -> {
                    awaitUninterruptibly(go);
                    won.addAndGet(timer.cancel() ? 1 : 0);
                });
                thread.start();
                threads.add(thread);
            }
            go.countDown();
            threads.forEach(LoopCase::joinUninterruptibly);
            assertEquals(1, won.get());
        }
    }

    // r[verify timer.repeat]
    @Test
    void aCallbackThatThrowsIsReportedAndTheTimerGoesOn() {
        EventLoop loop = onTestClock();
        AtomicInteger count = new AtomicInteger();
        loop.scheduleRepeating(TEN, TEN, MissedTicks.SKIP, tick -> {
            if (count.incrementAndGet() % 2 == 1) {
                throw new IllegalStateException("tick " + count);
            }
        });
        for (int i = 1; i <= 4; i++) {
            runAt(loop, 10 * i);
        }
        assertEquals(4, count.get());
        assertEquals(
                List.of("tick 1", "tick 3"),
                errors.stream().map(Throwable::getMessage).toList());
    }

    // r[verify timer.repeat]
    @Test
    void periodsThatMakeNoSenseAreRefused() {
        EventLoop loop = open();
        for (Duration period : List.of(
                Duration.ZERO,
                Duration.ofNanos(-1),
                Duration.ofNanos(999),
                Duration.ofSeconds(Long.MIN_VALUE),
                Duration.ofSeconds(Long.MAX_VALUE),
                Duration.ofDays(365 * 300))) {
            IllegalArgumentException refused = assertThrows(
                    IllegalArgumentException.class,
                    () -> loop.scheduleRepeating(HOUR, period, MissedTicks.SKIP, tick -> {}));
            assertMessage(refused, "period=" + period);
        }
        assertEquals(0, loop.stats().pendingTimers());
    }

    // r[verify timer.extremes]
    @Test
    void extremesOfTimeDoNotOverflow() {
        Duration longest = Duration.ofNanos(Long.MAX_VALUE);
        for (long now : new long[] {0, -5, Long.MIN_VALUE + 1, Long.MAX_VALUE - 5_000}) {
            for (MissedTicks rule : MissedTicks.values()) {
                EventLoop loop = open(options().clock(() -> now));
                AtomicInteger ran = new AtomicInteger();
                RepeatingTimer once = loop.scheduleRepeating(
                        Duration.ofSeconds(Long.MIN_VALUE), longest, rule, tick -> ran.incrementAndGet());
                loop.scheduleRepeating(Duration.ofSeconds(Long.MAX_VALUE), TEN, rule, tick -> ran.addAndGet(100));
                loop.runUntilEmpty();
                assertEquals(1, ran.get(), rule + " at " + now);
                assertTrue(once.nextTick() > now, rule + " at " + now + ": " + once.nextTick());
                once.rescheduleAt(Long.MIN_VALUE);
                loop.runUntilEmpty();
                assertEquals(2, ran.get(), rule + " at " + now);
                assertTrue(once.nextTick() > now, rule + " at " + now + ": " + once.nextTick());
            }
        }
    }

    @Test
    void aTimerCanBeMovedAlsoWithinItsCallbackAndAfterACancel() {
        EventLoop loop = onTestClock();
        RepeatingTimer timer = loop.scheduleRepeating(TEN, TEN, MissedTicks.SKIP, tick -> {
            note(0).onTick(tick);
            if (ticks.size() == 1) {
                tick.rescheduleAt(start + 55_000);
            }
        });
        runAt(loop, 10);
        runAt(loop, 54);
        runAt(loop, 55);
        runAt(loop, 65);
        timer.cancel();
        runAt(loop, 75);
        timer.rescheduleAt(start + 80_000);
        assertTrue(timer.isPending());
        runAt(loop, 90);
        assertEquals(List.of("10@10-0", "55@55-0", "65@65-0", "90@90-1"), ticks);
    }

    // r[verify timer.extremes]
    @Test
    void aTimerThatIsMovedIntoThePastTicksNowAndBeginsItsGridThere() {
        for (MissedTicks rule : MissedTicks.values()) {
            clock.set(start);
            ticks.clear();
            EventLoop loop = onTestClock();
            RepeatingTimer timer = loop.scheduleRepeating(HOUR, TEN, rule, note(0));
            loop.runUntilEmpty();
            for (long past : new long[] {Long.MIN_VALUE, start - HOUR.toNanos(), start + 2_000}) {
                clock.set(start + 3_000);
                timer.rescheduleAt(past);
                for (int i = 0; i < 3; i++) {
                    loop.runSome();
                }
                runAt(loop, 13);
                assertEquals(List.of("3@3-0", "13@13-0"), ticks, rule + " at " + past);
                ticks.clear();
            }
        }
    }

    @Test
    void movingATimerOnAnotherThreadIsRefusedAndItTicksOn() {
        EventLoop loop = started();
        AtomicInteger count = new AtomicInteger();
        RepeatingTimer timer = loop.scheduleRepeating(
                Duration.ZERO, Duration.ofMillis(1), MissedTicks.SKIP, tick -> count.incrementAndGet());
        assertThrows(IllegalStateException.class, () -> timer.rescheduleAt(0));
        int before = count.get();
        Deadline.after(LIMIT).await("it ticks on", () -> count.get() > before);
        timer.cancel();
    }

    // r[verify timer.repeat]
    @Test
    void theTaskIsToldThatTheLoopEndsOnce() {
        List<String> seen = new ArrayList<>();
        EventLoop loop = open();
        RepeatingTimer timer = loop.scheduleRepeating(Duration.ZERO, HOUR, MissedTicks.CATCH_UP, noting(seen));
        loop.scheduleRepeating(HOUR, HOUR, MissedTicks.SKIP, noting(seen)).cancel();
        loop.runUntilEmpty();
        loop.close();
        assertEquals(List.of("tick", "end"), seen);
        assertTrue(timer.isCancelled());
        assertFalse(timer.cancel());
    }

    private static TickTask noting(List<String> seen) {
        return new TickTask() {
            @Override
            public void onTick(RepeatingTimer timer) {
                seen.add("tick");
            }

            @Override
            public void onLoopEnd() {
                seen.add("end");
            }
        };
    }

    @Test
    void aDrainedLoopWaitsUntilTheTimerIsCancelled() {
        EventLoop loop = open();
        AtomicInteger count = new AtomicInteger();
        loop.scheduleRepeating(Duration.ZERO, Duration.ofNanos(50_000), MissedTicks.SKIP, tick -> {
            if (count.incrementAndGet() == 5) {
                tick.cancel();
            }
        });
        loop.requestStop();
        loop.run(RunMode.DRAINED);
        assertEquals(5, count.get());
    }
}

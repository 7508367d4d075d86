package dev.carillon.timer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.ClosedException;
import dev.carillon.loop.EventLoop;
import dev.carillon.loop.LoopCase;
import dev.carillon.loop.LoopTask;
import dev.carillon.loop.RunMode;
import dev.carillon.sys.call.Sys;
import dev.carillon.sys.layout.Constants;
import dev.carillon.test.Deadline;
import dev.carillon.test.Seeded;
import dev.carillon.test.proc.Descriptors;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Timers on the kernel's clocks of the wall and of suspend, and on a planted one where the clock has to be set. */
abstract class ClockTimerContract extends LoopCase {
    private static final Duration HOUR = Duration.ofHours(1);
    private static final long SECOND = 1_000_000_000L;

    private final List<String> seen = Collections.synchronizedList(new ArrayList<>());

    private static long now(int clock) {
        return Sys.get().clocks().now(clock);
    }

    private static Instant wallClock() {
        long now = now(Constants.CLOCK_REALTIME);
        return Instant.ofEpochSecond(now / SECOND, now % SECOND);
    }

    // r[verify timer.wall-clock]
    @Test
    void aTimerIsCalledAtItsTimeOnTheWallClockAndNeverEarly(@Seeded SplittableRandom random) throws Exception {
        EventLoop loop = started();
        AtomicInteger settings = new AtomicInteger();
        WallClockTimers timers = closeLater(WallClockTimers.open(loop, change -> settings.incrementAndGet()));
        int count = 200;
        CountDownLatch done = new CountDownLatch(count);
        AtomicInteger early = new AtomicInteger();
        for (int i = 0; i < count; i++) {
            Instant time = wallClock().plusNanos(random.nextLong(20_000_000));
            timers.at(time, () -> {
                early.addAndGet(wallClock().isBefore(time) ? 1 : 0);
                done.countDown();
            });
        }
        assertTrue(done.await(LIMIT.toSeconds(), TimeUnit.SECONDS));
        // Another process may set the clock back, as another run of these tests does; the loop is told of that.
        if (early.get() > 0) {
            Deadline.after(LIMIT).await("the clock was set, or none was early", () -> settings.get() > 0);
        }
    }

    // r[verify timer.suspend]
    @Test
    void aTimerThatCountsSuspendIsNeverEarlyByThatClock(@Seeded SplittableRandom random) throws Exception {
        EventLoop loop = started();
        SuspendAwareTimers timers = closeLater(SuspendAwareTimers.open(loop));
        int count = 200;
        CountDownLatch done = new CountDownLatch(count);
        AtomicInteger early = new AtomicInteger();
        for (int i = 0; i < count; i++) {
            long delay = random.nextLong(20_000_000);
            long due = now(Constants.CLOCK_BOOTTIME) + delay;
            timers.after(Duration.ofNanos(delay), () -> {
                early.addAndGet(now(Constants.CLOCK_BOOTTIME) < due ? 1 : 0);
                done.countDown();
            });
        }
        assertTrue(done.await(LIMIT.toSeconds(), TimeUnit.SECONDS));
        assertEquals(0, early.get());
        assertFalse(timers.after(HOUR, () -> {}).isCancelled());
    }

    // r[verify timer.extremes]
    @Test
    void timesOfAnySizeAreServedOrNeverCome() {
        EventLoop loop = started();
        WallClockTimers timers = closeLater(WallClockTimers.open(loop));
        SuspendAwareTimers spans = closeLater(SuspendAwareTimers.open(loop));
        ClockTimer never = timers.at(Instant.MAX, () -> seen.add("never"));
        ClockTimer neverToo = timers.at(Instant.parse("2300-01-01T00:00:00Z"), () -> seen.add("never"));
        ClockTimer neverAfter = spans.after(Duration.ofSeconds(Long.MAX_VALUE), () -> seen.add("never"));
        timers.at(Instant.MIN, () -> seen.add("min"));
        timers.at(Instant.EPOCH, () -> seen.add("epoch"));
        timers.at(Instant.parse("1600-01-01T00:00:00Z"), () -> seen.add("1600"));
        timers.at(ZonedDateTime.now(ZoneId.of("Asia/Tokyo")).minusNanos(1), () -> seen.add("Tokyo"));
        spans.after(Duration.ofSeconds(Long.MIN_VALUE), () -> seen.add("now"));
        Deadline.after(LIMIT).await("those in the past ran", () -> seen.size() == 5);
        assertTrue(never.isPending() && neverToo.isPending() && neverAfter.isPending());
        assertTrue(seen.containsAll(List.of("min", "epoch", "1600", "Tokyo", "now")), seen::toString);
    }

    // r[verify timer.clock]
    @Test
    void timersRunByTimeAndThenByOrderAndCancelledOnesDoNot() {
        EventLoop loop = open();
        PlantedAlarm clock = new PlantedAlarm(100);
        ClockQueue queue = closeLater(ClockQueue.open(loop, clock, null));
        ClockTimer gone = queue.add(110, () -> seen.add("gone"));
        for (long time : new long[] {130, 120, 120, 110, 200}) {
            queue.add(time, () -> seen.add(time + "@" + clock.now()));
        }
        assertTrue(gone.cancel());
        assertFalse(gone.cancel());
        assertTrue(gone.isCancelled() && !gone.isPending());
        loop.runUntilEmpty();
        assertEquals(List.of(), seen);
        clock.advance(119);
        loop.runUntilEmpty();
        clock.advance(150);
        loop.runUntilEmpty();
        assertEquals(List.of("110@119", "120@150", "120@150", "130@150"), seen);
    }

    // r[verify timer.cancelled-memory]
    @Test
    void aCancelledTimerLetsGoOfItsTaskAtOnce() {
        EventLoop loop = open();
        SuspendAwareTimers timers = closeLater(SuspendAwareTimers.open(loop));
        List<WeakReference<int[]>> held = new ArrayList<>();
        List<ClockTimer> kept = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            int[] captured = new int[1];
            held.add(new WeakReference<>(captured));
            kept.add(timers.after(HOUR, () -> captured[0]++));
        }
        assertTrue(kept.stream().allMatch(ClockTimer::cancel));
        Deadline.after(LIMIT).await("no task is held", () -> {
            System.gc();
            return held.stream().allMatch(task -> task.get() == null);
        });
        assertTrue(kept.stream().allMatch(ClockTimer::isCancelled));
    }

    // r[verify timer.clock]
    @Test
    void anEarlierTimerOfAnotherThreadWakesTheLoop() {
        EventLoop loop = started();
        WallClockTimers timers = closeLater(WallClockTimers.open(loop));
        timers.at(wallClock().plus(HOUR), () -> seen.add("hour"));
        on(loop, () -> true);
        awaitParked(loop);
        timers.at(wallClock().plusMillis(5), () -> seen.add("soon"));
        Deadline.after(LIMIT).await("it ran", () -> seen.size() == 1);
        assertEquals(List.of("soon"), seen);
    }

    // r[verify timer.clock]
    @Test
    void othersHaveTheirTurnAmongManyThatAreDueAndWhatOneThrowsHoldsUpNone() {
        EventLoop loop = open();
        PlantedAlarm clock = new PlantedAlarm(0);
        ClockQueue queue = closeLater(ClockQueue.open(loop, clock, null));
        AtomicInteger ran = new AtomicInteger();
        for (int i = 0; i < 1_000; i++) {
            queue.add(10, () -> {
                if (ran.incrementAndGet() % 2 == 0) {
                    throw new IllegalStateException("even");
                }
            });
        }
        loop.runUntilEmpty();
        clock.advance(10);
        loop.runSome();
        loop.execute(() -> seen.add("task after " + ran));
        loop.runUntilEmpty();
        assertEquals(1_000, ran.get());
        assertEquals(500, errors.size());
        assertTrue(seen.get(0).length() <= "task after 99".length(), seen::toString);
    }

    // r[verify timer.clock-set]
    @Test
    void aClockThatIsSetForwardCallsAtOnceAndOneThatIsSetBackWaitsOn() {
        EventLoop loop = open();
        long hour = HOUR.toNanos();
        PlantedAlarm clock = new PlantedAlarm(100 * hour);
        ClockQueue queue = closeLater(ClockQueue.open(
                loop, clock, change -> seen.add(change.step().isNegative() ? "set back" : "set forward")));
        for (long time : new long[] {110, 120}) {
            queue.add(time * hour, () -> seen.add(time + "@" + clock.now() / hour));
        }
        loop.runUntilEmpty();
        clock.set(50 * hour);
        loop.runUntilEmpty();
        clock.advance(109 * hour);
        loop.runUntilEmpty();
        assertEquals(List.of("set back"), seen);
        clock.set(115 * hour);
        loop.runUntilEmpty();
        assertEquals(List.of("set back", "set forward", "110@115"), seen);
        clock.set(20 * hour);
        clock.set(119 * hour);
        loop.runUntilEmpty();
        clock.advance(120 * hour);
        loop.runUntilEmpty();
        assertEquals(List.of("set back", "set forward", "110@115", "set forward", "120@120"), seen);
    }

    // r[verify timer.clock-set]
    @Test
    void aChangeThatIsFoundOutWhileAnotherThreadSetsATimerIsToldOnTheLoop() {
        EventLoop loop = started();
        PlantedAlarm clock = new PlantedAlarm(0);
        ClockQueue queue =
                closeLater(ClockQueue.open(loop, clock, change -> seen.add(loop.inLoop() ? "told" : "told elsewhere")));
        on(loop, () -> true);
        clock.setUnseen(5);
        ClockTimer first = queue.add(1_000, () -> seen.add("1000"));
        queue.add(500, () -> seen.add("500"));
        Deadline.after(LIMIT).await("it is told", () -> !seen.isEmpty());
        on(loop, () -> true);
        assertEquals(List.of("told"), seen);
        assertTrue(first.isPending());
        clock.advance(1_000);
        Deadline.after(LIMIT).await("both ran", () -> seen.size() == 3);
        assertEquals(List.of("told", "500", "1000"), seen);
    }

    // r[verify timer.clock-end]
    @Test
    void aCloseCancelsAndTheEndOfTheLoopTells() {
        EventLoop loop = started();
        WallClockTimers closed = WallClockTimers.open(loop);
        ClockTimer timer = closed.at(wallClock().plus(HOUR), noting("closed"));
        closed.close();
        closed.close();
        assertTrue(timer.isCancelled() && !timer.cancel());
        assertThrows(ClosedException.class, () -> closed.at(Instant.EPOCH, () -> {}));
        WallClockTimers timers = WallClockTimers.open(loop);
        timers.at(wallClock().plus(HOUR), noting("throws"));
        ClockTimer waits = timers.at(wallClock().plus(HOUR), noting("waits"));
        timers.at(wallClock().plus(HOUR), noting("gone")).cancel();
        timers.at(wallClock().plus(HOUR), () -> seen.add("plain"));
        loop.close();
        seen.sort(null);
        assertEquals(List.of("throws ends", "waits ends"), seen);
        assertEquals(1, errors.size());
        assertTrue(waits.isCancelled());
        assertThrows(RejectedExecutionException.class, () -> timers.at(Instant.EPOCH, () -> {}));
        assertThrows(RejectedExecutionException.class, () -> WallClockTimers.open(loop));
        assertThrows(RejectedExecutionException.class, () -> SuspendAwareTimers.open(loop));
        timers.close();
    }

    private LoopTask noting(String name) {
        return new LoopTask() {
            @Override
            public void run() {
                seen.add(name + " runs");
            }

            @Override
            public void onLoopEnd() {
                seen.add(name + " ends");
                if (name.equals("throws")) {
                    throw new IllegalStateException("at the end");
                }
            }
        };
    }

    // r[verify timer.clock-end]
    @Test
    void nothingStaysOpen() {
        EventLoop loop = started();
        on(loop, () -> true);
        Map<Integer, String> before = Descriptors.ofProgram();
        for (int i = 0; i < 100; i++) {
            WallClockTimers timers = WallClockTimers.open(loop, change -> {});
            SuspendAwareTimers spans = SuspendAwareTimers.open(loop);
            timers.at(wallClock(), () -> {});
            spans.after(HOUR, () -> {});
            timers.close();
            spans.close();
        }
        Deadline.after(LIMIT)
                .await("all are closed", () -> Descriptors.openedSince(before).isEmpty());
        WallClockTimers left = WallClockTimers.open(loop);
        loop.close();
        assertTrue(Descriptors.openedSince(before).isEmpty(), () -> Descriptors.openedSince(before) + " " + left);
    }

    // r[verify timer.clock-end]
    @Test
    void theyKeepNoLoopFromBeingDrained() {
        EventLoop loop = open();
        WallClockTimers timers = WallClockTimers.open(loop);
        ClockTimer timer = timers.at(wallClock().plus(HOUR), () -> {});
        loop.requestStop();
        loop.run(RunMode.DRAINED);
        assertTrue(timer.isCancelled());
    }

    @Test
    void aCancelOnTheLoopThreadIsNeverTooLate() {
        EventLoop loop = open();
        PlantedAlarm clock = new PlantedAlarm(0);
        ClockQueue queue = closeLater(ClockQueue.open(loop, clock, null));
        ClockTimer[] second = new ClockTimer[1];
        queue.add(10, () -> seen.add("second cancelled: " + second[0].cancel()));
        second[0] = queue.add(10, () -> seen.add("second"));
        loop.runUntilEmpty();
        clock.advance(10);
        loop.runUntilEmpty();
        assertEquals(List.of("second cancelled: true"), seen);
    }
}

package dev.carillon.futex;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.ClosedException;
import dev.carillon.memory.MemoryRegion;
import dev.carillon.sys.LoopThreads;
import dev.carillon.test.Deadline;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a wait on a word does, however it sleeps. */
abstract class FutexContract {
    static final Duration LIMIT = Duration.ofSeconds(30);
    static final int PAGE = 4_096;
    private static final long NEVER = Long.MAX_VALUE;
    private static final int MEETINGS = Boolean.getBoolean("carillon.stress") ? 20_000 : 1_500;

    final MemoryRegion region = MemoryRegion.memfd("words", PAGE);
    final FutexWord word = at(0);
    private final List<Waiting> started = new ArrayList<>();

    abstract WordSleep sleep();

    final FutexWord at(int offset) {
        return new FutexWord(region, offset, sleep());
    }

    @AfterEach
    void closeRegion() throws Exception {
        region.close();
        for (Waiting waiting : started) {
            waiting.thread.join(LIMIT.toMillis());
        }
    }

    static long in(long millis) {
        return System.nanoTime() + MILLISECONDS.toNanos(millis);
    }

    final Waiting start(Callable<WaitResult> wait) {
        Waiting waiting = new Waiting(wait);
        started.add(waiting);
        return waiting;
    }

    /** Where it waits without end, it is in the kernel, or parked between two looks. */
    final void awaitAsleep(Waiting waiting) {
        Deadline.after(LIMIT).await("it sleeps", () -> isAsleep(waiting.thread));
    }

    abstract boolean isAsleep(Thread thread);

    @Test
    void anotherValueIsToldWithoutSleeping() throws Exception {
        word.put(5);
        assertEquals(WaitResult.VALUE_CHANGED, word.await(4, NEVER));
    }

    // r[verify futex.deadline]
    @Test
    void aChangedValueWinsOverADeadlineThatHasPassed() throws Exception {
        word.put(5);
        assertEquals(WaitResult.VALUE_CHANGED, word.await(4, 0));
        assertEquals(WaitResult.TIMED_OUT, word.await(5, 0));
        assertEquals(WaitResult.TIMED_OUT, word.await(5, System.nanoTime() - 1));
    }

    // r[verify futex.deadline]
    @Test
    void aChangeThatNobodyWokeForIsNoTimeout() throws Exception {
        long deadline;
        long changed;
        WaitResult result;
        do {
            long until = in(200);
            deadline = until;
            word.put(0);
            Waiting waiting = start(() -> word.await(0, until));
            Deadline.after(LIMIT)
                    .await("it sleeps, or is done", () -> isAsleep(waiting.thread) || waiting.task.isDone());
            word.putRelease(1);
            changed = System.nanoTime();
            result = waiting.result();
        } while (changed - deadline >= 0); // on a machine that is so busy it proves nothing
        assertNotEquals(WaitResult.TIMED_OUT, result);
    }

    @Test
    void whoSleepsIsWokenByAChange() throws Exception {
        Waiting waiting = start(() -> word.await(0, NEVER));
        awaitAsleep(waiting);
        word.putRelease(42);
        word.wakeOne();
        waiting.assertWoken();
        assertEquals(42, word.getAcquire());
    }

    @Test
    void allAreWoken() throws Exception {
        List<Waiting> waiting = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            waiting.add(start(() -> word.await(0, NEVER)));
        }
        waiting.forEach(this::awaitAsleep);
        word.putRelease(1);
        word.wakeAll();
        for (Waiting one : waiting) {
            one.assertWoken();
        }
    }

    @Test
    void wakingNobodyDoesNothing() {
        assertFalse(word.wakeOne());
        assertEquals(0, word.wakeAll());
    }

    // r[verify futex.deadline]
    @Test
    void aDeadlineIsNeverEarlyAndSeldomLate() throws Exception {
        Lateness late = Lateness.of(deadline -> assertEquals(WaitResult.TIMED_OUT, word.await(0, deadline)));
        System.out.println(getClass().getSimpleName() + ": " + late);
        assertTrue(late.earliest() >= 0, late::toString);
        assertTrue(late.isSmall(), late::toString);
    }

    // r[verify futex.interrupt]
    @Test
    void anInterruptEndsTheWaitAtOnceAndTheThreadCanWaitAgain() throws Exception {
        long best = NEVER;
        for (int i = 0; i < 20; i++) {
            long[] woke = new long[1];
            Waiting waiting = start(() -> {
                InterruptedException interrupted = assertThrows(InterruptedException.class, () -> word.await(0, NEVER));
                woke[0] = System.nanoTime();
                assertFalse(Thread.currentThread().isInterrupted(), interrupted::toString);
                return word.await(0, in(1));
            });
            awaitAsleep(waiting);
            long start = System.nanoTime();
            waiting.thread.interrupt();
            assertEquals(WaitResult.TIMED_OUT, waiting.result());
            best = Math.min(best, woke[0] - start);
        }
        // Each ends; a busy machine may take its time for one, and not for twenty.
        assertTrue(best < SECONDS.toNanos(2), "after " + best + " ns at best");
    }

    // r[verify futex.interrupt]
    @Test
    void anInterruptBeforeTheWaitEndsItToo() {
        Thread.currentThread().interrupt();
        assertThrows(InterruptedException.class, () -> word.await(0, NEVER));
        assertFalse(Thread.interrupted());
    }

    // r[verify futex.interrupt]
    @Test
    void anInterruptThatMeetsTheBeginningOfAWaitIsNotLost() throws Exception {
        for (int i = 0; i < MEETINGS; i++) {
            CountDownLatch begins = new CountDownLatch(1);
            Waiting waiting = start(() -> {
                begins.countDown();
                return word.await(0, NEVER);
            });
            meet(begins, i);
            waiting.thread.interrupt();
            assertTrue(waiting.failure() instanceof InterruptedException);
            started.remove(waiting);
        }
    }

    /** Returns at another moment of a wait's beginning each time; most of all before it sleeps. */
    private static void meet(CountDownLatch begins, int round) {
        while (begins.getCount() > 0) {
            Thread.onSpinWait();
        }
        long until = System.nanoTime() + round * 37L % 12_000;
        while (System.nanoTime() - until < 0) {
            Thread.onSpinWait();
        }
    }

    @Test
    void closingTheRegionEndsTheWaits() throws Exception {
        List<Waiting> waiting = List.of(start(() -> word.await(0, NEVER)), start(() -> word.await(0, in(60_000))));
        waiting.forEach(this::awaitAsleep);
        region.close();
        for (Waiting one : waiting) {
            assertTrue(one.failure() instanceof ClosedException);
        }
    }

    @Test
    void aCloseThatMeetsTheBeginningOfAWaitIsNotLost() throws Exception {
        for (int i = 0; i < MEETINGS; i++) {
            MemoryRegion mine = MemoryRegion.memfd("mine", PAGE);
            FutexWord its = new FutexWord(mine, 8, sleep());
            CountDownLatch begins = new CountDownLatch(1);
            Waiting waiting = start(() -> {
                begins.countDown();
                return its.await(0, NEVER);
            });
            meet(begins, i);
            mine.close();
            assertTrue(waiting.failure() instanceof ClosedException);
            started.remove(waiting);
        }
    }

    @Test
    void aClosedRegionIsNeitherWaitedForNorWoken() {
        region.close();
        assertThrows(ClosedException.class, () -> word.await(0, NEVER));
        assertThrows(ClosedException.class, word::wakeOne);
        assertThrows(ClosedException.class, word::wakeAll);
        assertThrows(ClosedException.class, word::getAcquire);
        assertThrows(ClosedException.class, () -> at(0));
    }

    // r[verify futex.alignment]
    @Test
    void aWordThatIsMisalignedOrOutsideIsRefused() {
        assertThrows(IllegalArgumentException.class, () -> at(2));
        assertThrows(IllegalArgumentException.class, () -> at(-1));
        assertThrows(IndexOutOfBoundsException.class, () -> at(-4));
        assertThrows(IndexOutOfBoundsException.class, () -> at(PAGE));
        at(PAGE - 4);
        assertThrows(
                IndexOutOfBoundsException.class,
                () -> new EventCount(new EventCountSteps(region, PAGE - 4, sleep(), () -> {})));
        assertThrows(
                IllegalArgumentException.class,
                () -> new EventCount(new EventCountSteps(region, 6, sleep(), () -> {})));
    }

    // r[verify futex.alignment]
    @Test
    void extremeOffsetsAreRefusedAsAnyOther() {
        for (int offset : new int[] {Integer.MIN_VALUE, Integer.MIN_VALUE + 4, Integer.MAX_VALUE - 3, -8, PAGE}) {
            assertThrows(IndexOutOfBoundsException.class, () -> at(offset), () -> "offset=" + offset);
            assertThrows(
                    IndexOutOfBoundsException.class,
                    () -> new EventCount(new EventCountSteps(region, offset, sleep(), () -> {})),
                    () -> "offset=" + offset);
        }
    }

    @Test
    void aNegativeDeadlineIsRefused() {
        IllegalArgumentException thrown =
                assertThrows(IllegalArgumentException.class, () -> word.await(0, System.nanoTime() + Long.MAX_VALUE));
        assertTrue(String.valueOf(thrown.getMessage()).contains("Long.MAX_VALUE never comes"));
    }

    @Test
    void waitingOnALoopThreadIsRefusedInCheckedMode() {
        LoopThreads.mark();
        try {
            assertThrows(IllegalStateException.class, () -> word.await(0, in(100)));
        } finally {
            LoopThreads.unmark();
        }
    }

    /** Not where waiters poll: they find a change by themselves, and no wake. */
    final void assertOneWakeWakesOne() throws Exception {
        Waiting first = start(() -> word.await(0, Long.MAX_VALUE));
        Waiting second = start(() -> word.await(0, Long.MAX_VALUE));
        awaitAsleep(first);
        awaitAsleep(second);
        Deadline.after(LIMIT).await("one is woken", word::wakeOne);
        Deadline.after(LIMIT).await("one is back", () -> first.task.isDone() || second.task.isDone());
        assertFalse(first.task.isDone() && second.task.isDone());
        Deadline.after(LIMIT).await("the other is woken", word::wakeOne);
        assertEquals(WaitResult.WOKEN, first.result());
        assertEquals(WaitResult.WOKEN, second.result());
    }

    // r[verify futex.no-lost-wakeup]
    @Test
    void twoThreadsThatTakeTurnsLoseNoWakeup() throws Exception {
        EventCount ping = new EventCount(new EventCountSteps(region, 64, sleep(), () -> {}));
        EventCount pong = new EventCount(new EventCountSteps(region, 128, sleep(), () -> {}));
        FutexWord turn = at(192);
        int rounds = 2_000;
        Waiting other = start(() -> {
            for (int i = 0; i < rounds; i++) {
                int mine = 2 * i + 1;
                assertTrue(ping.awaitUntil(() -> turn.getAcquire() == mine, in(20_000)));
                turn.putRelease(mine + 1);
                pong.signal();
            }
            return WaitResult.WOKEN;
        });
        for (int i = 0; i < rounds; i++) {
            int next = 2 * i + 2;
            turn.putRelease(next - 1);
            ping.signal();
            assertTrue(pong.awaitUntil(() -> turn.getAcquire() == next, in(20_000)), "round " + i);
        }
        assertEquals(WaitResult.WOKEN, other.result());
    }

    @Test
    void aConditionThatNeverHoldsTimesOut() throws Exception {
        EventCount never = new EventCount(new EventCountSteps(region, 64, sleep(), () -> {}));
        assertFalse(never.awaitUntil(() -> false, in(5)));
        assertTrue(never.awaitUntil(() -> true, 0));
    }
}

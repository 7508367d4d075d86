package dev.carillon.sys.call;

import static dev.carillon.sys.layout.Constants.CLOCK_BOOTTIME;
import static dev.carillon.sys.layout.Constants.CLOCK_MONOTONIC;
import static dev.carillon.sys.layout.Constants.CLOCK_REALTIME;
import static dev.carillon.sys.layout.Constants.POLLHUP;
import static dev.carillon.sys.layout.Constants.POLLIN;
import static dev.carillon.sys.layout.Constants.TFD_TIMER_ABSTIME;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.SyscallException;
import dev.carillon.sys.Errno;
import dev.carillon.sys.Fd;
import dev.carillon.sys.LibC;
import dev.carillon.sys.LoopThreads;
import dev.carillon.sys.layout.TimeLayout.Timespec;
import org.junit.jupiter.api.Test;

/** Polling, counters and timers. */
abstract class PollSetContract extends SysContract {
    private static final long MILLISECOND = 1_000_000;

    PollSetContract(LibC libc) {
        super(libc);
    }

    @Test
    void readinessAndHangUpAreFoundInTheirPlaces() {
        Fd[] pipe = sys.descriptors().pipe(true);
        PollSet set = sys.pollSet(2);
        set.set(0, number(pipe[0]), POLLIN);
        set.set(1, number(sys.clocks().event(1)), POLLIN);
        assertEquals(1, set.now());
        assertEquals(0, set.found(0));
        assertEquals(POLLIN, set.found(1));
        pipe[1].close();
        assertEquals(2, set.await());
        assertEquals(POLLHUP, set.found(0));
    }

    @Test
    void aDeadlineEndsTheWaitAndNeverEarly() {
        PollSet set = sys.pollSet(1);
        set.set(0, number(sys.clocks().event(0)), POLLIN);
        long deadline = System.nanoTime() + 5 * MILLISECOND;
        assertEquals(0, set.awaitUntil(deadline));
        assertTrue(System.nanoTime() >= deadline);
        assertEquals(0, set.awaitUntil(deadline));
    }

    // r[verify sys.loop-block]
    @Test
    void aBlockingCallOnALoopThreadFailsInCheckedMode() {
        PollSet set = sys.pollSet(1);
        set.set(0, number(sys.clocks().event(1)), POLLIN);
        LoopThreads.mark();
        try {
            assertThrows(IllegalStateException.class, set::await);
            assertThrows(IllegalStateException.class, () -> set.awaitUntil(0));
            assertThrows(IllegalStateException.class, () -> sys.futexes().await(at(0), 1));
            assertEquals(1, set.now());
        } finally {
            LoopThreads.unmark();
        }
        assertEquals(1, set.await());
    }

    @Test
    void aTimerRunsOutAgainAndAgainUntilItIsStopped() {
        int timer = number(sys.clocks().timer());
        PollSet set = sys.pollSet(1);
        set.set(0, timer, POLLIN);
        assertEquals(0, sys.clocks().remaining(timer));
        sys.clocks().set(timer, MILLISECOND, MILLISECOND);
        for (int i = 0; i < 3; i++) {
            assertEquals(1, set.await());
            assertEquals(8, sys.descriptors().read(timer, at(0), 8));
            assertNotEquals(0, memory.bytes().getLong(0));
        }
        sys.clocks().set(timer, 3_600_000 * MILLISECOND, 0);
        long remaining = sys.clocks().remaining(timer);
        assertTrue(remaining > 3_500_000 * MILLISECOND, () -> "remaining=" + remaining);
        sys.clocks().set(timer, 0, 0);
        assertEquals(-Errno.EAGAIN, sys.descriptors().read(timer, at(0), 8));
    }

    // r[verify timer.clock-set]
    @Test
    void aTimerOnAnyClockRunsOutAtItsTimeAndAtOnceIfThatIsPast() {
        for (int clock : new int[] {CLOCK_REALTIME, CLOCK_BOOTTIME, CLOCK_MONOTONIC}) {
            int timer = number(sys.clocks().timer(clock));
            PollSet set = sys.pollSet(1);
            set.set(0, timer, POLLIN);
            assertEquals(0, sys.clocks().take(timer));
            long deadline = sys.clocks().now(clock) + MILLISECOND;
            setAt(timer, deadline);
            assertEquals(1, set.await());
            assertTrue(sys.clocks().now(clock) >= deadline);
            awaitRing(timer);
            for (long past : new long[] {Long.MIN_VALUE, 0, 1, deadline}) {
                setAt(timer, past);
                assertEquals(1, set.await());
                awaitRing(timer);
            }
            setAt(timer, Long.MAX_VALUE);
            assertEquals(0, sys.clocks().take(timer));
        }
    }

    /** Somebody may set the clock of this machine at any time, which is no error. */
    private void setAt(int timer, long time) {
        if (sys.clocks().setAt(timer, time)) {
            System.out.println("somebody has set the clock");
        }
    }

    private void awaitRing(int timer) {
        long taken = sys.clocks().take(timer);
        assertTrue(taken == 1 || taken == ClockCalls.CLOCK_WAS_SET, () -> "taken=" + taken);
    }

    @Test
    void theClockOfTheVmIsTheKernelsMonotonicOne() {
        long before = System.nanoTime();
        long now = sys.clocks().now(CLOCK_MONOTONIC);
        assertTrue(before <= now && now <= System.nanoTime());
        assertThrows(SyscallException.class, () -> sys.clocks().now(12_345));
        assertThrows(SyscallException.class, () -> sys.clocks().timer(12_345));
        assertThrows(IllegalArgumentException.class, () -> sys.clocks().take(-1));
    }

    @Test
    void aCounterAddsUpAndIsTakenWhole() {
        int event = number(sys.clocks().event(2));
        memory.bytes().putLong(0, 40);
        assertEquals(8, sys.descriptors().write(event, at(0), 8));
        assertEquals(8, sys.descriptors().read(event, at(8), 8));
        assertEquals(42, memory.bytes().getLong(8));
        assertEquals(-Errno.EAGAIN, sys.descriptors().read(event, at(8), 8));
    }

    @Test
    void deadlinesOfTheKernelAndOfTheVmAreOnOneClock() {
        int timer = number(sys.clocks().timer());
        long now = System.nanoTime();
        memory.bytes().putLong(0, 0).putLong(8, 0);
        long far = 1_000_000 * MILLISECOND;
        Timespec.put(memory.bytes(), 16, now + far);
        int absolute = TFD_TIMER_ABSTIME;
        assertEquals(0, libc.timerfd_settime(timer, absolute, at(0), 0));
        long remaining = sys.clocks().remaining(timer);
        assertTrue(remaining > 0 && remaining <= far, () -> "remaining=" + remaining);
    }
}

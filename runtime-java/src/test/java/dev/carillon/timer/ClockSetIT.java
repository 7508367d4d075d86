package dev.carillon.timer;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.loop.EventLoop;
import dev.carillon.sys.ClockSetting;
import dev.carillon.sys.LibC;
import dev.carillon.test.Deadline;
import java.time.Duration;
import java.time.Instant;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/**
 * The kernel's word that its clock was set. The test sets the clock to what it is, and in this way moves it by the time between two
 * calls; only root may.
 */
final class ClockSetIT {
    private static final Duration LIMIT = Duration.ofSeconds(20);

    // r[verify timer.clock-set] r[verify timer.wall-clock]
    @Test
    void aChangeOfTheClockIsToldAndTimersWaitOn() {
        Queue<ClockChange> changes = new ConcurrentLinkedQueue<>();
        AtomicInteger ran = new AtomicInteger();
        try (EventLoop loop = EventLoop.open().start();
                WallClockTimers timers = WallClockTimers.open(loop, changes::add);
                WallClockTimers idle = WallClockTimers.open(loop, changes::add)) {
            ClockTimer hour = timers.at(Instant.now().plusSeconds(3600), ran::incrementAndGet);
            long refused = ClockSetting.toNow(LibC.get());
            Assumptions.assumeTrue(refused == 0, () -> "the clock may not be set here: errno " + -refused);
            Deadline.after(LIMIT).await("both are told, also the one without timers", () -> changes.size() >= 2);
            for (ClockChange change : changes) {
                assertTrue(change.step().abs().compareTo(Duration.ofMinutes(30)) < 0, change::toString);
            }
            assertTrue(hour.isPending());
            timers.at(Instant.now().plusMillis(5), ran::incrementAndGet);
            Deadline.after(LIMIT).await("the next timer comes", () -> ran.get() == 1);
            assertTrue(idle.at(Instant.MAX, ran::incrementAndGet).cancel());
        }
    }
}

package dev.carillon.test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.Signal;
import dev.carillon.SignalInfo;
import dev.carillon.SignalSet;
import dev.carillon.loop.EventLoop;
import dev.carillon.loop.MissedTicks;
import dev.carillon.signal.SignalService;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class TestLoopTest {
    private static final Duration MINUTE = Duration.ofMinutes(1);

    @Test
    void anHourIsOverAtOnce() {
        // region loop
        try (TestLoop test = TestLoop.open()) {
            List<String> said = new ArrayList<>();
            test.loop().schedule(Duration.ofHours(1), () -> said.add("an hour is over"));
            test.advanceBy(Duration.ofMinutes(59));
            assertEquals(List.of(), said);
            test.advanceBy(Duration.ofMinutes(1));
            assertEquals(List.of("an hour is over"), said);
        }
        // endregion
    }

    @Test
    void aSignalIsInjected() {
        // region signal
        try (TestLoop test = TestLoop.open()) {
            SignalService signals = SignalService.attach(test.loop(), SignalSet.of(Signal.SIGUSR1));
            CompletableFuture<SignalInfo> waiting = signals.await(Signal.SIGUSR1);
            signals.inject(SignalInfo.of(Signal.SIGUSR1));
            test.run();
            assertEquals(Signal.SIGUSR1, waiting.join().signal());
        }
        // endregion
    }

    @Test
    void eachTimerRunsAtItsOwnTimeAlsoThoseThatCallbacksSet() {
        try (TestLoop test = TestLoop.open()) {
            EventLoop loop = test.loop();
            List<Long> seconds = new ArrayList<>();
            loop.scheduleRepeating(MINUTE, MINUTE, MissedTicks.SKIP, tick -> {
                seconds.add(test.elapsed().toSeconds());
                loop.schedule(
                        Duration.ofSeconds(7), () -> seconds.add(test.elapsed().toSeconds()));
            });
            test.advanceBy(Duration.ofSeconds(130));
            assertEquals(List.of(60L, 67L, 120L, 127L), seconds);
            assertEquals(Duration.ofSeconds(130), test.elapsed());
        }
    }

    @Test
    void whatACallbackThrowsFailsTheTest() {
        IllegalStateException planted = new IllegalStateException("planted");
        try (TestLoop test = TestLoop.open()) {
            test.loop().schedule(MINUTE, () -> {
                throw planted;
            });
            AssertionError failure = assertThrows(AssertionError.class, () -> test.advanceBy(MINUTE));
            assertSame(planted, failure.getCause());
            test.run();
            assertThrows(IllegalArgumentException.class, () -> test.advanceBy(Duration.ofNanos(-1)));
        }
    }

    // r[verify timer.next]
    @Test
    void theNextTimerIsToldToTheThreadOfTheLoopOnly() throws InterruptedException {
        try (TestLoop test = TestLoop.open()) {
            EventLoop loop = test.loop();
            assertThrows(IllegalStateException.class, loop::nextTimer);
            test.run();
            assertTrue(loop.nextTimer().isEmpty());
            loop.scheduleAt(7, () -> {});
            loop.scheduleAt(5, () -> {}).cancel();
            loop.scheduleAt(Long.MAX_VALUE, () -> {});
            assertEquals(7, loop.nextTimer().getAsLong());
            boolean[] refused = new boolean[1];
            Thread other = new Thread(() -> refused[0] = isRefused(loop));
            other.start();
            other.join();
            assertTrue(refused[0]);
            test.advanceBy(MINUTE);
            assertFalse(loop.nextTimer().isPresent());
        }
    }

    private static boolean isRefused(EventLoop loop) {
        try {
            loop.nextTimer();
            return false;
        } catch (IllegalStateException expected) {
            return true;
        }
    }
}

package dev.carillon.loop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** What a repeating timer tells its callback. The clock is the test's. */
abstract class NextTickContract extends LoopCase {
    private static final Duration TEN = Duration.ofNanos(10_000);

    private final AtomicLong clock = new AtomicLong(1_000_000);
    private final long start = clock.get();

    // r[verify timer.next-tick]
    @Test
    void theCallbackIsToldWhenTheNextTickIsDue() {
        assertEquals(List.of(20L, 30L, 40L), nextTicksWithin(MissedTicks.SKIP));
        assertEquals(List.of(20L, 20L, 20L), nextTicksWithin(MissedTicks.CATCH_UP));
        assertEquals(List.of(22L, 30L, 45L), nextTicksWithin(MissedTicks.DELAY));
    }

    /** What the callback of the tick for 10 is told at 12, 20 and 35; what the timer does afterwards is the last of that. */
    private List<Long> nextTicksWithin(MissedTicks rule) {
        clock.set(start);
        EventLoop loop = open(options().clock(clock::get));
        List<Long> told = new ArrayList<>();
        RepeatingTimer timer = loop.scheduleRepeating(TEN, TEN, rule, tick -> {
            if (!told.isEmpty()) {
                assertEquals(told.get(2), (tick.thisTick() - start) / 1_000);
                tick.cancel();
                return;
            }
            for (int time : new int[] {12, 20, 35}) {
                clock.set(start + time * 1_000L);
                told.add((tick.nextTick() - start) / 1_000);
            }
            assertEquals(start + 10_000, tick.thisTick());
        });
        assertEquals(start + 10_000, timer.nextTick());
        clock.set(start + 12_000);
        loop.runSome();
        clock.set(start + Math.max(35, told.get(2)) * 1_000L);
        loop.runUntilEmpty();
        assertTrue(timer.isCancelled());
        assertEquals(List.of(), List.copyOf(errors));
        return told;
    }
}

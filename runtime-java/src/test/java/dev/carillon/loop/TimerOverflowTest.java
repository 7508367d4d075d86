package dev.carillon.loop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.loop.queue.TimerHeap;
import dev.carillon.loop.queue.TimerNode;
import dev.carillon.test.Seeded;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Timers for which the heap had no room, against a sorted list. */
final class TimerOverflowTest {
    private final EventLoop loop = EventLoop.open();
    private final TimerOverflow overflow = new TimerOverflow();

    @AfterEach
    void closeTheLoop() {
        loop.close();
    }

    private Timer add(long deadline) {
        Timer timer = new Timer();
        timer.arm(deadline);
        overflow.add(new LoopTimers.Insertion(loop.parts.timers, timer));
        return timer;
    }

    // r[verify timer.accepted]
    @Test
    void theyComeOutByDeadlineAndAmongEqualOnesInTheirOrder(@Seeded SplittableRandom random) {
        List<Timer> model = new ArrayList<>();
        for (long now = 0; now < 2_000; now++) {
            for (int i = random.nextInt(4); i > 0; i--) {
                model.add(add(now + random.nextInt(50)));
            }
            if (!model.isEmpty() && random.nextInt(3) == 0) {
                Timer cancelled = model.remove(random.nextInt(model.size()));
                assertTrue(cancelled.tryCancel());
            }
            if (random.nextInt(10) != 0) {
                continue;
            }
            model.sort(Comparator.comparingLong(Timer::deadline));
            while (!model.isEmpty() && model.get(0).deadline() <= now) {
                assertSame(model.remove(0), overflow.pollDue(now, TimerHeap.NEVER));
            }
            assertNull(overflow.pollDue(now, TimerHeap.NEVER));
            long earliest = model.isEmpty() ? TimerHeap.NEVER : model.get(0).deadline();
            assertTrue(overflow.earliest() <= earliest, "a timer would come too late");
            assertTrue(overflow.size() >= model.size());
        }
        overflow.collect(Long.MIN_VALUE);
        assertEquals(model.size(), overflow.size());
    }

    @Test
    void anotherDeadlineThatIsEarlierGoesFirst() {
        Timer timer = add(10);
        assertNull(overflow.pollDue(20, 10));
        assertEquals(Long.MIN_VALUE, overflow.earliest());
        assertSame(timer, overflow.pollDue(20, 11));
        assertTrue(overflow.isEmpty());
    }

    @Test
    void aTimerThatWasSetAnewHoldsUpNoneBehindIt() {
        Timer first = add(10);
        Timer second = add(11);
        assertNull(overflow.pollDue(20, 10));
        first.tryCancel();
        first.arm(1_000);
        assertSame(second, overflow.pollDue(20, TimerHeap.NEVER));
        assertNull(overflow.pollDue(20, TimerHeap.NEVER));
        assertTrue(overflow.isEmpty());
        assertTrue(first.isArmed());
    }

    @Test
    void allAreThereForTheEndOfTheLoop() {
        List<Timer> timers = List.of(add(10), add(TimerHeap.NEVER), add(5), add(30));
        assertNull(overflow.pollDue(7, 0));
        List<TimerNode> told = new ArrayList<>();
        TimerNode timer;
        while ((timer = overflow.pollAny()) != null) {
            told.add(timer);
        }
        assertEquals(4, told.size());
        assertTrue(told.containsAll(timers));
        assertTrue(overflow.isEmpty());
        assertEquals(TimerHeap.NEVER, overflow.earliest());
    }

    private static final class Timer extends TimerNode {
        @Override
        public void run() {}
    }
}

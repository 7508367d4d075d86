package dev.carillon.futex;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import dev.carillon.memory.MemoryRegion;
import dev.carillon.test.Deadline;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A process that may not call futex(2), and another one that sleeps there: it rings, and the other one wakes its own. */
// r[verify futex.fallback]
final class EventCountBellTest {
    private final MemoryRegion region = MemoryRegion.anonymous(EventCount.BYTES);
    private final AtomicInteger rings = new AtomicInteger();
    private final AtomicInteger wakes = new AtomicInteger();

    /** As in the process that has futexes. */
    private final EventCount waiting =
            new EventCount(new EventCountSteps(region, 0, KernelSleep.orPolling(), () -> {}) {
                @Override
                void wake() {
                    wakes.incrementAndGet();
                    super.wake();
                }
            });

    @AfterEach
    void closeRegion() {
        region.close();
    }

    private EventCount signalling(WordSleep sleep) {
        return new EventCount(new EventCountSteps(region, 0, sleep, rings::incrementAndGet));
    }

    @Test
    void aSignalThatReachesOthersDoesNotRingForASleeper() {
        waiting.prepare();
        signalling(new Deaf(true)).signal();
        assertEquals(0, rings.get());
    }

    @Test
    void aSignalThatReachesNobodyElseRingsOnceForASleeper() {
        EventCount signalling = signalling(new Deaf(false));
        signalling.signal();
        assertEquals(0, rings.get(), "nobody sleeps");
        waiting.prepare();
        signalling.signal();
        signalling.signal();
        assertEquals(1, rings.get());
        waiting.prepareToListen();
        signalling.signal();
        assertEquals(2, rings.get());
    }

    @Test
    void oneWhoPollsReachesNobodyElse() {
        assertFalse(new PollingSleep().reachesAll());
    }

    @Test
    void whoHearsTheBellWakesThoseWhoWereSignalledAndOnlyThose() throws Exception {
        EventCount signalling = signalling(new Deaf(false));
        for (int i = 1; i <= 3; i++) {
            Waiting waiter = new Waiting(() -> waiting.await(waiting.prepare(), Long.MAX_VALUE));
            Deadline.after(FutexContract.LIMIT).await("it sleeps", () -> Waiting.isInKernel(waiter.thread));
            waiting.wakeSignalled();
            assertEquals(i - 1, wakes.get(), "nobody was signalled");
            signalling.signal();
            waiting.wakeSignalled();
            assertEquals(i, wakes.get());
            waiter.assertWoken();
        }
    }

    /** Wakes nobody in the kernel. */
    private record Deaf(boolean reachesAll) implements WordSleep {
        @Override
        public WaitResult await(SharedWord word, int expected, long deadlineNanos) {
            throw new UnsupportedOperationException("nobody waits here");
        }

        @Override
        public int wake(SharedWord word, int most) {
            return 0;
        }
    }
}

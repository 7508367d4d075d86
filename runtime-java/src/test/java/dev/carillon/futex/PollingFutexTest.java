package dev.carillon.futex;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/** Polling, as where there are no futexes. */
// r[verify futex.fallback]
final class PollingFutexTest extends FutexContract {
    @Override
    WordSleep sleep() {
        return new PollingSleep();
    }

    @Override
    boolean isAsleep(Thread thread) {
        return thread.getState() == Thread.State.TIMED_WAITING;
    }

    @Test
    void whoHasWaitedLongSeesAChangeAsSoon() throws Exception {
        List<Long> nanos = new ArrayList<>();
        List<Long> nanosOfOthers = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            nanos.add(nanosToSee(140 + 23L * i));
            // A busy machine makes these late, too.
            nanosOfOthers.add(nanosToSee(2));
        }
        nanos.sort(null);
        nanosOfOthers.sort(null);
        assertTrue(
                nanos.get(2) < 20_000_000 + 3 * nanosOfOthers.get(2),
                () -> "after " + nanos + " ns, others after " + nanosOfOthers);
    }

    /** How long it takes to see a change for one who has waited for so long. */
    private long nanosToSee(long waitedMillis) throws Exception {
        word.put(0);
        Waiting waiting = start(() -> word.await(0, in(60_000)));
        awaitAsleep(waiting);
        long until = in(waitedMillis);
        while (System.nanoTime() - until < 0) {
            LockSupport.parkNanos(1_000_000);
        }
        long start = System.nanoTime();
        word.putRelease(1);
        assertEquals(WaitResult.WOKEN, waiting.result());
        return System.nanoTime() - start;
    }
}

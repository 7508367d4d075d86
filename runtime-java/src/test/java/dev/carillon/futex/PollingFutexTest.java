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
        for (int i = 0; i < 5; i++) {
            word.put(0);
            Waiting waiting = start(() -> word.await(0, in(20_000)));
            awaitAsleep(waiting);
            long until = in(140 + 23L * i);
            while (System.nanoTime() - until < 0) {
                LockSupport.parkNanos(1_000_000);
            }
            long start = System.nanoTime();
            word.putRelease(1);
            assertEquals(WaitResult.WOKEN, waiting.result());
            nanos.add(System.nanoTime() - start);
        }
        nanos.sort(null);
        assertTrue(nanos.get(2) < 20_000_000, () -> "after " + nanos + " ns");
    }
}

package dev.carillon.futex;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Parked, as virtual threads are; a platform thread can wait so, too. */
final class WatchedFutexTest extends FutexContract {
    @Override
    WordSleep sleep() {
        return WatchedSleep.all();
    }

    @Override
    boolean isAsleep(Thread thread) {
        return thread.getState() == Thread.State.TIMED_WAITING || thread.getState() == Thread.State.WAITING;
    }

    @Test
    void oneWakeWakesOne() throws Exception {
        assertOneWakeWakesOne();
    }

    @Test
    void aChangeThatNobodyWokeForIsSeen() throws Exception {
        Waiting waiting = start(() -> word.await(0, Long.MAX_VALUE));
        awaitAsleep(waiting);
        word.putRelease(1);
        assertEquals(WaitResult.WOKEN, waiting.result());
        assertTrue(word.wakeAll() == 0, "somebody still waits");
    }

    // r[verify futex.watcher]
    @Test
    void aWatcherThatCannotBeStartedLeavesNobodyWithoutOne() throws Exception {
        CountDownLatch starting = new CountDownLatch(1);
        CountDownLatch refused = new CountDownLatch(1);
        AtomicInteger started = new AtomicInteger();
        FutexWord watched = new FutexWord(region, 0, new WatchedSleep(look -> {
            boolean isFirst = started.getAndIncrement() == 0;
            return new Thread(look, "watches") {
                @Override
                public synchronized void start() {
                    if (isFirst) {
                        starting.countDown();
                        awaitUninterruptibly(refused);
                        throw new OutOfMemoryError("unable to create native thread");
                    }
                    super.start();
                }
            };
        }));
        Waiting first = start(() -> watched.await(0, Long.MAX_VALUE));
        assertTrue(starting.await(LIMIT.toSeconds(), SECONDS));
        Waiting second = start(() -> watched.await(0, Long.MAX_VALUE));
        awaitAsleep(second);
        refused.countDown();
        assertInstanceOf(OutOfMemoryError.class, first.failure());
        word.putRelease(1);
        assertEquals(WaitResult.WOKEN, second.result());
    }

    private static void awaitUninterruptibly(CountDownLatch latch) {
        try {
            assertTrue(latch.await(LIMIT.toSeconds(), SECONDS));
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}

package dev.carillon.futex;

import dev.carillon.memory.MemoryRegion;
import java.util.concurrent.TimeUnit;

/**
 * Two sides that take turns at a number, each asleep while it is the other's turn. The first side makes it odd, the
 * second even. C knows the same offsets.
 */
final class Turns {
    static final int SIZE = 4_096;
    static final int FIRST = 64;
    static final int SECOND = 128;
    static final int NUMBER = 192;

    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(30);

    private final EventCount mine;
    private final EventCount theirs;
    private final FutexWord number;
    private final int begin;

    Turns(MemoryRegion region, boolean first, WordSleep sleep) {
        mine = new EventCount(new EventCountSteps(region, first ? FIRST : SECOND, sleep, () -> {}));
        theirs = new EventCount(new EventCountSteps(region, first ? SECOND : FIRST, sleep, () -> {}));
        number = new FutexWord(region, NUMBER, sleep);
        begin = first ? 0 : 1;
    }

    void take(int rounds) throws InterruptedException {
        for (int i = 0; i < rounds; i++) {
            int turn = begin + 2 * i;
            if (!mine.awaitUntil(() -> number.getAcquire() == turn, System.nanoTime() + PATIENCE_NANOS)) {
                throw new AssertionError("a wakeup was lost: turn=" + turn + ", number=" + number.getVolatile());
            }
            number.putRelease(turn + 1);
            theirs.signal();
        }
    }
}

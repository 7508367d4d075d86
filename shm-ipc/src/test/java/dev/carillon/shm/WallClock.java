package dev.carillon.shm;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/** Counts how often the wall clock of this process jumps, by more than an hour. */
final class WallClock {
    private static final long HOUR = TimeUnit.HOURS.toMillis(1);
    private static final long EACH = TimeUnit.MILLISECONDS.toNanos(5);

    private final AtomicLong forth = new AtomicLong();
    private final AtomicLong back = new AtomicLong();

    WallClock() {
        Thread looks = new Thread(this::look, "looks at the wall clock");
        looks.setDaemon(true);
        looks.start();
    }

    private void look() {
        long before = System.currentTimeMillis();
        for (; ; ) {
            LockSupport.parkNanos(EACH);
            long now = System.currentTimeMillis();
            if (now - before > HOUR) {
                forth.incrementAndGet();
            } else if (before - now > HOUR) {
                back.incrementAndGet();
            }
            before = now;
        }
    }

    /** How often it has jumped in the direction in which it did so less often. */
    long jumps() {
        return Math.min(forth.get(), back.get());
    }

    /** It jumps, also in the midst of a wait. */
    void awaitJumps(int more) {
        long enough = jumps() + more;
        while (jumps() < enough) {
            LockSupport.parkNanos(EACH);
        }
    }
}

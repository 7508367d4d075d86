package dev.carillon.benchmarks.loops;

import java.util.concurrent.Semaphore;

/**
 * The task that is posted: counts its runs, and says when it was the last one.
 *
 * <p>What changes with each run is far from everything that the posting threads read, or they would measure each other's
 * cache misses. <b>Threading:</b> {@link #run} on the loop, the rest before and after a round.
 */
final class Countdown implements Runnable {
    private static final int LEFT = 16;
    private static final int FINISHED = 17;
    private static final int CAPACITY = 48;

    private final Semaphore done;
    private final long[] numbers = new long[CAPACITY];

    Countdown(Semaphore done) {
        this.done = done;
    }

    void begin(long runs) {
        numbers[LEFT] = runs;
    }

    @Override
    public void run() {
        if (--numbers[LEFT] == 0) {
            numbers[FINISHED] = System.nanoTime();
            done.release();
        }
    }

    long left() {
        return numbers[LEFT];
    }

    long finished() {
        return numbers[FINISHED];
    }
}

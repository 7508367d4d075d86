package dev.carillon.shm;

/**
 * How long a wait looks before it sleeps: as long as that helps, and less where waits end up asleep all the same. Every now and
 * then it tries the whole time again.
 *
 * <p><b>Threading:</b> any thread. They race, which makes a wait look longer or shorter, and no more.
 */
// r[impl shm.wait.cheap]
final class SpinTime {
    /** After so many waits that slept one looks for the whole time; and the shortest time is that part of it. */
    static final int TRIES = 16;

    private final long mostNanos;
    private long nextNanos;
    private int sleeps;

    /**
     * The whole time at first.
     *
     * @param mostNanos 0 is no time at all
     */
    SpinTime(long mostNanos) {
        this.mostNanos = mostNanos;
        nextNanos = mostNanos;
    }

    /** How long the next wait looks. */
    long nextNanos() {
        return nextNanos;
    }

    /** A look has found what was waited for. */
    void helped() {
        nextNanos = mostNanos;
        sleeps = 0;
    }

    /** No look has, and the thread sleeps. */
    void sleeps() {
        sleeps++;
        nextNanos = sleeps % TRIES == 0 ? mostNanos : Math.max(nextNanos / 2, mostNanos / TRIES);
    }
}

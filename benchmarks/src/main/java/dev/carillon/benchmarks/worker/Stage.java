package dev.carillon.benchmarks.worker;

/**
 * Where a work's threads are kept: each thread asks for its core by itself.
 *
 * <p>A child process inherits the core of the thread that starts it.
 */
public final class Stage {
    /** The number that stands for every core. */
    static final int ANY = -1;

    private final int first;
    private final int second;

    Stage(int first, int second) {
        this.first = first;
        this.second = second;
    }

    /** Keeps the calling thread on the first side's core; the worker's main thread is there already. */
    public void pinFirst() {
        pin(first);
    }

    /** Keeps the calling thread on the second side's core. */
    public void pinSecond() {
        pin(second);
    }

    /** Returns the first side's core, or -1 for any. */
    public int first() {
        return first;
    }

    /** Returns the second side's core, or -1 for any. */
    public int second() {
        return second;
    }

    private static void pin(int core) {
        if (core == ANY) {
            Affinity.release();
        } else {
            Affinity.pin(core);
        }
    }
}

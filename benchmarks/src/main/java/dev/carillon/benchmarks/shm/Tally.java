package dev.carillon.benchmarks.shm;

/** What the receiver has seen: the next number that it expects, the sum of all stamps, and whether any order was wrong. */
final class Tally {
    private long next;
    private long sum;
    private long wrong;

    /** Starts a new sum; the numbers go on. */
    void begin() {
        sum = 0;
        wrong = 0;
    }

    /** The number that the next message must have. */
    long next() {
        return next;
    }

    /** Adds one message: its number, and the sum of all its stamps. */
    void message(long number, long stamps) {
        wrong |= number ^ next;
        next++;
        sum += stamps;
    }

    /** Adds some messages that were looked at before; {@code differences} is not 0 if one had not the number it must. */
    void messages(int count, long differences, long stamps) {
        wrong |= differences;
        next += count;
        sum += stamps;
    }

    long sum() {
        return sum;
    }

    boolean inOrder() {
        return wrong == 0;
    }
}

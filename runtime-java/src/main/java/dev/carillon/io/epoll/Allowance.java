package dev.carillon.io.epoll;

/**
 * How much the operations of one iteration may move before it is the turn of others: timers, tasks, what else is ready.
 *
 * <p><b>Threading:</b> the loop thread.
 */
// r[impl io.turn]
final class Allowance {
    /** One operation moves so many bytes at most before the next operation has its turn. */
    static final int OF_ONE = 256 * 1024;

    /** All operations of an iteration move so many. With much less, the cost of asking for events would show. */
    private static final int OF_ALL = 1024 * 1024;

    /** A system call counts for so many bytes, which take about as long to copy. */
    private static final int CALL = 512;

    private int left = OF_ALL;

    void renew() {
        left = OF_ALL;
    }

    boolean isUsedUp() {
        return left <= 0;
    }

    /** Counts a call that has moved so many bytes, or none; returns what it counts for. */
    int spend(long bytes) {
        int cost = CALL + (int) Math.min(OF_ALL, Math.max(0, bytes));
        left -= cost;
        return cost;
    }
}

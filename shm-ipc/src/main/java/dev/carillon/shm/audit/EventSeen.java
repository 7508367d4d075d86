package dev.carillon.shm.audit;

/**
 * An event count, as it was read.
 *
 * @param count how often its waiters were told, modulo 2^32
 * @param sleepWord 0 nobody waits, 1 on the count, 2 for the bell, 3 either; a waiter that has woken by itself leaves it
 */
public record EventSeen(int count, int sleepWord) {
    static final int MOST = 3;

    private static final String[] NAMES = {"nobody", "futex", "doorbell", "either"};

    /** Whether a waiter has announced itself that nobody has told yet. */
    public boolean hasSleeper() {
        return sleepWord != 0;
    }

    /** How it waits, in a word. */
    public String sleeper() {
        return sleepWord >= 0 && sleepWord <= MOST ? NAMES[sleepWord] : "unknown";
    }
}

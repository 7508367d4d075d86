package dev.carillon.shm;

import java.util.HashSet;
import java.util.Set;

/**
 * The numbers by which this process was handed links. They are the link's from the first attach on, and later anybody's: so the
 * same ones are never used again.
 *
 * <p><b>Threading:</b> any thread.
 */
// r[impl shm.attach.once]
final class InheritedNumbers {
    private static final Set<Integer> TAKEN = new HashSet<>();

    private InheritedNumbers() {}

    /**
     * Takes both.
     *
     * @param where what has named them
     * @throws IllegalStateException if one of them was taken before
     */
    static synchronized void take(int memory, int bell, String where) {
        if (TAKEN.contains(memory) || TAKEN.contains(bell)) {
            throw new IllegalStateException(where + ": this process has attached with these descriptors already, and"
                    + " they can be used once; use the link that the first call has returned");
        }
        TAKEN.add(memory);
        TAKEN.add(bell);
    }

    /** They were no descriptors of a link, and are as they were. */
    static synchronized void giveBack(int memory, int bell) {
        TAKEN.remove(memory);
        TAKEN.remove(bell);
    }
}

package dev.carillon.shm;

/**
 * The numbers by which this process was handed links. They are the link's from the first attach on, and later anybody's: so the
 * same ones are never used again. They belong to the process, which may have several copies of this class, each by a class loader
 * of its own: so the properties of the system have them.
 *
 * <p><b>Threading:</b> any thread.
 */
// r[impl shm.attach.once]
final class InheritedNumbers {
    private static final String PREFIX = "carillon.link.attached.";

    private InheritedNumbers() {}

    /**
     * Takes both.
     *
     * @param where what has named them
     * @throws IllegalStateException if one of them was taken before
     */
    static void take(int memory, int bell, String where) {
        if (!takes(memory)) {
            throw taken(where);
        }
        if (!takes(bell)) {
            free(memory);
            throw taken(where);
        }
    }

    private static boolean takes(int number) {
        return System.getProperties().putIfAbsent(PREFIX + number, "") == null;
    }

    private static void free(int number) {
        System.getProperties().remove(PREFIX + number);
    }

    private static IllegalStateException taken(String where) {
        return new IllegalStateException(where + ": this process has attached with these descriptors already, and"
                + " they can be used once; use the link that the first call has returned");
    }

    /** They were not attached with, and are as they were. */
    static void giveBack(int memory, int bell) {
        free(memory);
        free(bell);
    }
}

package dev.carillon.io;

/**
 * Numbers that handles have adopted, as properties of the system: two handles that close one number would close somebody else's.
 * Numbers belong to the process, which may have several copies of this class, each by a class loader of its own.
 *
 * <p><b>Threading:</b> any thread.
 */
// r[impl io.adopt]
final class AdoptedNumbers {
    private static final String PREFIX = "carillon.adopted.";

    private AdoptedNumbers() {}

    /**
     * Takes a number for a handle.
     *
     * @throws IllegalStateException if another handle has it
     */
    static void take(int number, String what) {
        Object other = System.getProperties().putIfAbsent(PREFIX + number, what);
        if (other != null) {
            throw new IllegalStateException("fd=" + number + " was adopted before, as " + other
                    + ", and is that handle's until its close; adopt each descriptor once");
        }
    }

    /** The handle has it no more. */
    static void forget(int number) {
        System.getProperties().remove(PREFIX + number);
    }
}

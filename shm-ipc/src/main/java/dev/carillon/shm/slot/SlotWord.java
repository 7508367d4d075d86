package dev.carillon.shm.slot;

/**
 * The word of a slot: its generation in the upper half, its state in the lower one.
 *
 * <p>FREE -> CLAIMED (the sender takes it) -> IN_FLIGHT (the sender has filled it) -> HELD (the receiver has found it in an
 * entry) -> FREE with the next generation (the receiver has done with it); or CLAIMED -> FREE of the same generation, where
 * the sender has changed its mind. Each change is a compare-and-set. After 2^32 - 1 comes generation 0.
 */
public final class SlotWord {
    /** In the sender's hands, unused. */
    public static final int FREE = 0;

    /** In the sender's hands, being filled. */
    public static final int CLAIMED = 1;

    /** Filled; an entry names it, or will. */
    public static final int IN_FLIGHT = 2;

    /** In the receiver's hands. */
    public static final int HELD = 3;

    private static final String[] NAMES = {"FREE", "CLAIMED", "IN_FLIGHT", "HELD"};

    private SlotWord() {}

    /** The word of a generation and a state. */
    public static long of(int generation, int state) {
        return ((long) generation << Integer.SIZE) | state;
    }

    /** The generation in a word. */
    public static int generation(long word) {
        return (int) (word >>> Integer.SIZE);
    }

    /** The state in a word, which may be none of the four if a peer is faulty. */
    public static int state(long word) {
        return (int) word;
    }

    /** A word as a message tells it. */
    public static String describe(long word) {
        int state = state(word);
        String name = state >= 0 && state < NAMES.length ? NAMES[state] : "state=" + Integer.toUnsignedString(state);
        return name + " generation=" + Integer.toUnsignedString(generation(word));
    }
}

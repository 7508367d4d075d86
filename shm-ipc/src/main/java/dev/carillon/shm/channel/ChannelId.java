package dev.carillon.shm.channel;

/**
 * The number of a channel: its index in bits 0 to 15, and in bits 16 to 31 how often that index was used.
 *
 * <p>The host opens channels of even indices, the guest those of odd ones. Index 0 is for control and plain frames.
 */
public final class ChannelId {
    /** No channel: control frames and plain ones are on it. */
    public static final int NONE = 0;

    private static final int BITS = 16;
    private static final int MASK = 0xFFFF;

    private ChannelId() {}

    /** The id of an index in a generation; only the low 16 bits of either count. */
    public static int of(int generation, int index) {
        return generation << BITS | (index & MASK);
    }

    /** The line of credit that belongs to it. */
    public static int index(int id) {
        return id & MASK;
    }

    /** Which use of its index it is. After 65,535 comes 0. */
    public static int generation(int id) {
        return id >>> BITS;
    }

    /** The id of the next use of its index. */
    static int next(int id) {
        return of(generation(id) + 1, index(id));
    }

    /** Whether the host is the one who opens channels of that index. */
    static boolean isHosts(int index) {
        return (index & 1) == 0;
    }

    /** An id as a message tells it. */
    public static String describe(int id) {
        return index(id) + "." + generation(id);
    }
}

package dev.carillon.shm.ring;

import dev.carillon.memory.OrderedBytes;
import java.nio.ByteOrder;

/**
 * The 32 bytes at the start of an entry, in the machine's byte order; an inline payload follows.
 *
 * <pre>{@code
 *  0 u16 type    2 u16 flags    4 u32 channel
 *  8 u64 id
 * 16 u32 length of the payload  20 u32 slot + 1, or 0 for an inline payload
 * 24 u32 generation of the slot 28 u32 0
 * }</pre>
 *
 * <p>All accesses are plain: the head of the ring publishes them. They go in whole longs, four for a header. What the
 * peer wrote is read by {@link EntryHeader} and by nobody else.
 */
// r[impl shm.descriptor]
public final class EntryLayout {
    /** Bytes of the header, where an inline payload begins. */
    public static final int HEADER_BYTES = 32;

    /** In place of a slot's index: the payload is inline. */
    public static final int INLINE = -1;

    static final int FIRST = 0;
    static final int ID = 8;
    static final int LENGTH = 16;
    static final int GENERATION = 24;

    private static final boolean LITTLE = ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN;
    private static final long INT = 0xFFFF_FFFFL;
    private static final int SHORT = 0xFFFF;

    private EntryLayout() {}

    /**
     * Writes the header of a frame whose payload is inline.
     *
     * @param entry offset of the entry
     */
    public static void putInline(OrderedBytes bytes, int entry, int type, int flags, int channel, long id, int length) {
        put(bytes, entry, type, flags, channel, id, length, INLINE, 0);
    }

    /**
     * Writes a whole header.
     *
     * @param entry offset of the entry
     * @param slot the slot's index, or {@link #INLINE}
     * @param generation the slot's, or 0
     */
    public static void put(
            OrderedBytes bytes,
            int entry,
            int type,
            int flags,
            int channel,
            long id,
            int length,
            int slot,
            int generation) {
        bytes.putLong(entry + FIRST, longOf(intOf(type, flags), channel));
        bytes.putLong(entry + ID, id);
        bytes.putLong(entry + LENGTH, longOf(length, slot + 1));
        bytes.putLong(entry + GENERATION, longOf(generation, 0));
    }

    /** Two shorts as they lie in memory one after the other. */
    private static int intOf(int first, int second) {
        return LITTLE ? (second << Short.SIZE) | (first & SHORT) : (first << Short.SIZE) | (second & SHORT);
    }

    /** Two ints as they lie in memory one after the other. */
    private static long longOf(int first, int second) {
        return LITTLE
                ? ((long) second << Integer.SIZE) | (first & INT)
                : ((long) first << Integer.SIZE) | (second & INT);
    }

    static int firstInt(long both) {
        return (int) (LITTLE ? both : both >>> Integer.SIZE);
    }

    static int secondInt(long both) {
        return (int) (LITTLE ? both >>> Integer.SIZE : both);
    }

    static int firstShort(int both) {
        return (LITTLE ? both : both >>> Short.SIZE) & SHORT;
    }

    static int secondShort(int both) {
        return (LITTLE ? both >>> Short.SIZE : both) & SHORT;
    }
}

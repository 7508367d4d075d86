package dev.carillon.shm.segment;

import java.util.List;

/**
 * What one direction of a link is made of.
 *
 * @param ringEntries the entries of the ring, a power of two
 * @param inlineBytes what an entry holds beside its header of 32 bytes: 32 + 64k, so that an entry has whole cache lines
 * @param window how many bytes a channel may have under way
 * @param slotClasses the slots for longer messages, smallest first; none is fine
 */
public record DirectionShape(int ringEntries, int inlineBytes, long window, List<SlotClass> slotClasses) {
    /** The bytes of an entry's header. */
    public static final int ENTRY_HEADER_BYTES = 32;

    private static final DirectionShape DEFAULTS = new DirectionShape(
            256,
            96,
            256 << 10,
            List.of(new SlotClass(1 << 10, 64), new SlotClass(16 << 10, 16), new SlotClass(256 << 10, 4)));

    /** Refuses what no layout has, with an IllegalArgumentException that says what to take instead. */
    public DirectionShape {
        checkRing(ringEntries);
        checkInline(inlineBytes);
        Limits.range("window", window, 1, Limits.MAX_WINDOW, "a channel may have that many bytes under way");
        slotClasses = List.copyOf(slotClasses);
        checkClasses(slotClasses);
    }

    /** What a link has that was asked for nothing else. */
    public static DirectionShape defaults() {
        return DEFAULTS;
    }

    /** The bytes of an entry with its header. */
    public int entryBytes() {
        return ENTRY_HEADER_BYTES + inlineBytes;
    }

    /** How many slots all classes have together. */
    public int slots() {
        return slotClasses.stream().mapToInt(SlotClass::count).sum();
    }

    private static void checkRing(int entries) {
        Limits.range(
                "ring entries",
                entries,
                Limits.MIN_RING_ENTRIES,
                Limits.MAX_RING_ENTRIES,
                "a ring keeps some entries for control frames, and is not endless");
        int below = Integer.highestOneBit(entries);
        if (below != entries) {
            throw new IllegalArgumentException("ring entries=" + entries
                    + ": a ring has a power of two of entries; take " + below + " or " + 2 * below);
        }
    }

    private static void checkInline(int bytes) {
        int least = Limits.LINE - ENTRY_HEADER_BYTES;
        Limits.range(
                "inline bytes",
                bytes,
                least,
                Limits.MAX_ENTRY_BYTES - ENTRY_HEADER_BYTES,
                "an entry holds short messages; longer ones go into slots");
        if (bytes % Limits.LINE != least) {
            int entry = bytes + ENTRY_HEADER_BYTES;
            throw new IllegalArgumentException("inline bytes=" + bytes
                    + ": an entry has a header of 32 bytes and whole cache lines, so this is 32 + 64k; take "
                    + (Limits.below(entry) - ENTRY_HEADER_BYTES) + " or "
                    + (Limits.above(entry) - ENTRY_HEADER_BYTES));
        }
    }

    private static void checkClasses(List<SlotClass> classes) {
        if (classes.size() > Limits.MAX_SLOT_CLASSES) {
            throw new IllegalArgumentException(
                    "slot classes=" + classes.size() + ": the header has room for 8; take fewer sizes");
        }
        for (int i = 1; i < classes.size(); i++) {
            int before = classes.get(i - 1).bytes();
            int bytes = classes.get(i).bytes();
            if (bytes <= before) {
                throw new IllegalArgumentException("slot bytes=" + bytes + " after " + before
                        + ": each class has larger slots than the one before; order the classes by their bytes, and put"
                        + " those of the same size into one");
            }
        }
    }
}

package dev.carillon.shm.segment;

import java.util.List;
import java.util.Objects;

/**
 * Where everything of one direction is, in bytes from the start of the memory. The sender is the side that the
 * direction comes from.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param shape what the direction is made of
 * @param channels how many channels have a line of credit
 * @param control the start of the control lines
 * @param credits the start of the lines of credit
 * @param entries the start of the ring
 * @param slotWords the start of the words of the slots
 * @param slotArea the start of the bytes of the slots
 * @param end the first byte behind this direction
 */
public record DirectionLayout(
        DirectionShape shape,
        int channels,
        int control,
        int credits,
        int entries,
        int slotWords,
        int slotArea,
        int end) {
    /** The bytes of the control lines. */
    public static final int CONTROL_BYTES = 512;

    /** From the credit of a channel to that of the next one. */
    public static final int CREDIT_STRIDE = Limits.LINE;

    /** From the word of a slot to that of the next one. */
    public static final int SLOT_WORD_STRIDE = Limits.LINE;

    private static final int TAIL = 128;
    private static final int DATA_EVENT = 256;
    private static final int SPACE_EVENT = 320;
    private static final int SLOT_EVENT = 384;
    private static final int CREDIT_EVENT = 8;

    /** The layout from an offset on; the caller has seen that all of it fits. */
    static DirectionLayout at(int start, DirectionShape shape, int channels) {
        RegionSizes sizes = RegionSizes.of(shape, channels);
        int credits = behind(start, sizes.control());
        int entries = behind(credits, sizes.credits());
        int slotWords = behind(entries, sizes.entries());
        int slotArea = behind(slotWords, sizes.slotWords());
        int end = behind(slotArea, sizes.slotArea());
        return new DirectionLayout(shape, channels, start, credits, entries, slotWords, slotArea, end);
    }

    private static int behind(int start, long bytes) {
        return Math.toIntExact(Math.addExact(start, bytes));
    }

    /** The u64 that the sender moves when it has published entries. */
    public int head() {
        return control;
    }

    /** The u64 that the receiver moves when it has consumed entries. */
    public int tail() {
        return control + TAIL;
    }

    /** The event count of a receiver that waits for entries. */
    public int dataEvent() {
        return control + DATA_EVENT;
    }

    /** The event count of a sender that waits for room in the ring. */
    public int spaceEvent() {
        return control + SPACE_EVENT;
    }

    /** The event count of a sender that waits for a slot. */
    public int slotEvent() {
        return control + SLOT_EVENT;
    }

    /** The u64 with all that the receiver has granted on a channel, by the channel's index. */
    public int granted(int channel) {
        return credits + Objects.checkIndex(channel, channels) * CREDIT_STRIDE;
    }

    /** The event count of a sender that waits for credit on a channel, by the channel's index. */
    public int creditEvent(int channel) {
        return granted(channel) + CREDIT_EVENT;
    }

    /** How many entries the ring has: a power of two. */
    public int ringEntries() {
        return shape.ringEntries();
    }

    /** From an entry to the next one. */
    public int entryBytes() {
        return shape.entryBytes();
    }

    /** The bytes of a message that fits into its entry. */
    public int inlineBytes() {
        return shape.inlineBytes();
    }

    /** Where an entry is, by its index in the ring. */
    public int entry(int index) {
        return entries + Objects.checkIndex(index, ringEntries()) * entryBytes();
    }

    /** How many bytes a channel may have under way. */
    public long window() {
        return shape.window();
    }

    /** How many slots there are in all classes; they are numbered from 0, class by class. */
    public int slots() {
        return shape.slots();
    }

    /** The classes of slots, smallest first. */
    public List<SlotClass> classes() {
        return shape.slotClasses();
    }

    /** Where the u64 of a slot is, with its generation and its state. */
    public int slotWord(int slot) {
        return slotWords + Objects.checkIndex(slot, slots()) * SLOT_WORD_STRIDE;
    }

    /** Where the bytes of a slot begin. */
    public int slotOffset(int slot) {
        int offset = slotArea;
        int first = 0;
        for (SlotClass slots : classes()) {
            int within = slot - first;
            if (within >= 0 && within < slots.count()) {
                return offset + within * slots.bytes();
            }
            offset += slots.count() * slots.bytes();
            first += slots.count();
        }
        throw new IndexOutOfBoundsException("slot=" + slot + ": there are " + first);
    }

    /** How many bytes a slot has. */
    public int slotBytes(int slot) {
        return classes().get(slotClass(slot)).bytes();
    }

    /** The index of a slot's class. */
    public int slotClass(int slot) {
        int first = 0;
        for (int i = 0; i < classes().size(); i++) {
            int count = classes().get(i).count();
            if (slot >= first && slot - first < count) {
                return i;
            }
            first += count;
        }
        throw new IndexOutOfBoundsException("slot=" + slot + ": there are " + first);
    }
}

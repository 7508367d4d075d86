package dev.carillon.shm.segment;

import java.util.Locale;

/**
 * Where everything is in the memory of a link, in bytes from its start; docs/spec/shm-layout.md has every byte.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param shape what it was made from
 * @param toGuest where the direction from host to guest is
 * @param toHost where the direction from guest to host is
 * @param total how many bytes there are
 */
// r[impl shm.regions]
public record SegmentLayout(SegmentShape shape, DirectionLayout toGuest, DirectionLayout toHost, int total) {
    /** The version that this code writes and understands. */
    public static final int VERSION = 1;

    /** The bytes of the header's part that never changes. */
    public static final int HEADER_BYTES = 512;

    /** The u64 that host and guest change by CAS. */
    public static final int LINK_WORD = 512;

    /** The line that only the host writes. */
    public static final int HOST_LINE = 576;

    /** The line that only the guest writes. */
    public static final int GUEST_LINE = 640;

    /** Where the first region begins. */
    public static final int FIRST_REGION = 768;

    /**
     * Lays a shape out.
     *
     * @throws IllegalArgumentException if it would be larger than a region of memory can be
     */
    public static SegmentLayout of(SegmentShape shape) {
        long toGuest = RegionSizes.of(shape.toGuest(), shape.channels()).total();
        long toHost = RegionSizes.of(shape.toHost(), shape.channels()).total();
        long total = Math.addExact(FIRST_REGION, Math.addExact(toGuest, toHost));
        if (total > Limits.MAX_TOTAL) {
            throw new IllegalArgumentException(String.format(
                    Locale.ROOT,
                    "total=%d: a segment has %,d bytes at most; to the guest go %,d, to the host %,d: take fewer or smaller"
                            + " slots, fewer ring entries, fewer inline bytes or fewer channels",
                    total,
                    Limits.MAX_TOTAL,
                    toGuest,
                    toHost));
        }
        DirectionLayout first = DirectionLayout.at(FIRST_REGION, shape.toGuest(), shape.channels());
        DirectionLayout second = DirectionLayout.at(first.end(), shape.toHost(), shape.channels());
        return new SegmentLayout(shape, first, second, second.end());
    }

    /** The regions with their offsets and sizes, one on a line; the sizes add up to the total. */
    public String describe() {
        StringBuilder text = new StringBuilder();
        line(text, 0, FIRST_REGION, "header");
        describe(text, "to guest", toGuest);
        describe(text, "to host", toHost);
        return text.append(String.format(Locale.ROOT, "total     %,13d bytes%n", total))
                .toString();
    }

    private void describe(StringBuilder text, String name, DirectionLayout at) {
        line(text, at.control(), at.credits(), name + ": control lines, window of " + number(at.window()) + " bytes");
        line(text, at.credits(), at.entries(), name + ": credit of " + number(at.channels()) + " channels");
        line(
                text,
                at.entries(),
                at.slotWords(),
                name + ": ring of " + number(at.ringEntries()) + " entries x " + number(at.entryBytes()) + ", "
                        + number(at.inlineBytes()) + " inline");
        line(text, at.slotWords(), at.slotArea(), name + ": words of " + number(at.slots()) + " slots");
        StringBuilder slots = new StringBuilder(name).append(": slots");
        String separator = " ";
        for (SlotClass each : at.classes()) {
            slots.append(separator).append(number(each.count())).append(" x ").append(number(each.bytes()));
            separator = ", ";
        }
        line(text, at.slotArea(), at.end(), slots.toString());
    }

    private static void line(StringBuilder text, int from, int to, String what) {
        text.append(String.format(Locale.ROOT, "%,13d %,13d  %s%n", from, to - from, what));
    }

    private static String number(long value) {
        return String.format(Locale.ROOT, "%,d", value);
    }
}

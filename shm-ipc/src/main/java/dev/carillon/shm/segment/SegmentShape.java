package dev.carillon.shm.segment;

import static java.util.Objects.requireNonNull;

/**
 * What the memory of a link is made of.
 *
 * @param channels how many channels both directions have room for
 * @param toGuest the direction from host to guest, number 0 in the header
 * @param toHost the direction from guest to host, number 1
 */
public record SegmentShape(int channels, DirectionShape toGuest, DirectionShape toHost) {
    private static final SegmentShape DEFAULTS =
            new SegmentShape(256, DirectionShape.defaults(), DirectionShape.defaults());

    /** Refuses what no layout has, with an IllegalArgumentException that says what to take instead. */
    public SegmentShape {
        Limits.range("channels", channels, 1, Limits.MAX_CHANNELS, "an id of a channel has 16 bits of index");
        requireNonNull(toGuest, "toGuest");
        requireNonNull(toHost, "toHost");
    }

    /** What a link has that was asked for nothing else. */
    public static SegmentShape defaults() {
        return DEFAULTS;
    }
}

package dev.carillon.shm.segment;

import java.util.Locale;

/** What the numbers of a shape may be, and the refusal of those that they may not. */
final class Limits {
    /** Lines of the cache, and the unit of most sizes. */
    static final int LINE = 64;

    /** Where regions begin: two lines, since a processor may fetch the neighbour of a line with it. */
    static final int ALIGNMENT = 2 * LINE;

    static final int MIN_RING_ENTRIES = 4;
    static final int MAX_RING_ENTRIES = 1 << 20;
    static final int MAX_ENTRY_BYTES = 1 << 16;
    static final long MAX_WINDOW = 1L << 40;
    static final int MAX_SLOT_CLASSES = 8;
    static final int MAX_SLOT_BYTES = 1 << 30;
    static final int MAX_SLOT_COUNT = 1 << 20;
    static final int MAX_CHANNELS = 65_535;
    static final int MAX_PEER_ID = 255;
    static final int MAX_HEARTBEAT_MILLIS = 3_600_000;

    /** Whole pages below 2^31: an offset is an int, and a region is not larger. */
    static final int MAX_TOTAL = Integer.MAX_VALUE - 4_095;

    private Limits() {}

    static void range(String name, long value, long least, long most, String what) {
        if (value < least || value > most) {
            throw new IllegalArgumentException(
                    String.format(Locale.ROOT, "%s=%d: %s; take %,d to %,d", name, value, what, least, most));
        }
    }

    static void multipleOfLine(String name, int value, String what) {
        if (value % LINE != 0) {
            throw new IllegalArgumentException(
                    name + "=" + value + ": " + what + "; take " + below(value) + " or " + above(value));
        }
    }

    /** The next multiple of a line that is not more, and not less than one line. */
    static int below(int value) {
        return Math.max(LINE, value - Math.floorMod(value, LINE));
    }

    /** The next multiple of a line that is more. */
    static int above(int value) {
        return value - Math.floorMod(value, LINE) + LINE;
    }
}

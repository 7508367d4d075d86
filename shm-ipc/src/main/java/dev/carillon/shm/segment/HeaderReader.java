package dev.carillon.shm.segment;

import static dev.carillon.shm.segment.HeaderFields.CHANNELS;
import static dev.carillon.shm.segment.HeaderFields.CHECKSUM;
import static dev.carillon.shm.segment.HeaderFields.CLASS_STRIDE;
import static dev.carillon.shm.segment.HeaderFields.CLASS_TABLE;
import static dev.carillon.shm.segment.HeaderFields.CONTROL_AT;
import static dev.carillon.shm.segment.HeaderFields.CREDITS_AT;
import static dev.carillon.shm.segment.HeaderFields.ENDIANNESS;
import static dev.carillon.shm.segment.HeaderFields.ENDIANNESS_MARK;
import static dev.carillon.shm.segment.HeaderFields.ENTRIES_AT;
import static dev.carillon.shm.segment.HeaderFields.ENTRY_BYTES;
import static dev.carillon.shm.segment.HeaderFields.HEADER_SIZE;
import static dev.carillon.shm.segment.HeaderFields.HEARTBEAT;
import static dev.carillon.shm.segment.HeaderFields.HOST_PID;
import static dev.carillon.shm.segment.HeaderFields.HOST_START_TIME;
import static dev.carillon.shm.segment.HeaderFields.LINK_ID_HIGH;
import static dev.carillon.shm.segment.HeaderFields.LINK_ID_LOW;
import static dev.carillon.shm.segment.HeaderFields.MAGIC;
import static dev.carillon.shm.segment.HeaderFields.OUR_MAGIC;
import static dev.carillon.shm.segment.HeaderFields.OUR_WORD_SIZE;
import static dev.carillon.shm.segment.HeaderFields.PEER_ID;
import static dev.carillon.shm.segment.HeaderFields.RING_ENTRIES;
import static dev.carillon.shm.segment.HeaderFields.SLOTS;
import static dev.carillon.shm.segment.HeaderFields.SLOT_AREA_AT;
import static dev.carillon.shm.segment.HeaderFields.SLOT_CLASSES;
import static dev.carillon.shm.segment.HeaderFields.SLOT_WORDS_AT;
import static dev.carillon.shm.segment.HeaderFields.TOTAL;
import static dev.carillon.shm.segment.HeaderFields.TO_GUEST;
import static dev.carillon.shm.segment.HeaderFields.TO_HOST;
import static dev.carillon.shm.segment.HeaderFields.VERSION;
import static dev.carillon.shm.segment.HeaderFields.WINDOW;
import static dev.carillon.shm.segment.HeaderFields.WORD_SIZE;
import static dev.carillon.shm.segment.HeaderFields.checksum;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.Supplier;

/** Makes a header of a private copy of its bytes, or says why it cannot be one. */
final class HeaderReader {
    private final byte[] bytes;
    private final ByteBuffer from;

    HeaderReader(byte[] bytes) {
        this.bytes = bytes;
        this.from = ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder());
    }

    /**
     * Reads and checks all.
     *
     * @param available how many bytes of memory there are
     */
    // r[impl shm.header]
    SegmentHeader read(int available) {
        checkMagic(from.getLong(MAGIC));
        checkMarks();
        checkSum();
        SegmentIdentity identity = accepted(SegmentFault.IDENTITY, this::identity);
        SegmentHeader header = accepted(SegmentFault.CONFIGURATION, () -> configured(identity));
        checkDirection("to guest", TO_GUEST, header.layout().toGuest());
        checkDirection("to host", TO_HOST, header.layout().toHost());
        expectLong(SegmentFault.TOTAL_SIZE, "the total", TOTAL, header.layout().total());
        checkRest(header);
        long total = header.layout().total();
        if (available < total) {
            throw tooShort(available, total);
        }
        return header;
    }

    static FaultySegmentException tooShort(long available, long needed) {
        return new FaultySegmentException(
                SegmentFault.TOO_SHORT, "there are " + available + " bytes, and a segment here has " + needed);
    }

    static void checkMagic(long magic) {
        if (magic == 0) {
            throw new FaultySegmentException(SegmentFault.UNPUBLISHED, "the magic is 0");
        }
        if (magic != OUR_MAGIC) {
            ByteBuffer found = ByteBuffer.allocate(Long.BYTES).order(ByteOrder.nativeOrder());
            found.putLong(0, magic);
            throw new FaultySegmentException(
                    SegmentFault.MAGIC,
                    String.format(
                            Locale.ROOT,
                            "the first 8 bytes are %016x, and 434152494c4c4f4e (CARILLON) was expected",
                            found.order(ByteOrder.BIG_ENDIAN).getLong(0)));
        }
    }

    /** The byte order comes first: without it no other number can be read. */
    private void checkMarks() {
        int mark = from.getInt(ENDIANNESS);
        if (mark != ENDIANNESS_MARK) {
            String what = mark == Integer.reverseBytes(ENDIANNESS_MARK) ? "the other byte order" : "no byte order";
            throw new FaultySegmentException(
                    SegmentFault.ENDIANNESS,
                    String.format(Locale.ROOT, "the mark is %08x, which is %s; 01020304 was expected", mark, what));
        }
        expect(SegmentFault.VERSION, "the layout version", VERSION, SegmentLayout.VERSION);
        expect(SegmentFault.HEADER_SIZE, "the size of the header", HEADER_SIZE, SegmentLayout.HEADER_BYTES);
        expect(SegmentFault.WORD_SIZE, "the word size", WORD_SIZE, OUR_WORD_SIZE);
    }

    private void expect(SegmentFault fault, String what, int at, int expected) {
        int found = from.getInt(at);
        if (found != expected) {
            throw new FaultySegmentException(
                    fault, what + " is " + Integer.toUnsignedString(found) + ", and " + expected + " was expected");
        }
    }

    private void checkSum() {
        int found = from.getInt(CHECKSUM);
        int computed = checksum(bytes);
        if (found != computed) {
            throw new FaultySegmentException(
                    SegmentFault.CHECKSUM,
                    String.format(
                            Locale.ROOT, "the header says %08x, and its bytes have the CRC32C %08x", found, computed));
        }
    }

    private SegmentIdentity identity() {
        return new SegmentIdentity(
                from.getLong(LINK_ID_HIGH),
                from.getLong(LINK_ID_LOW),
                number("host pid", HOST_PID),
                from.getLong(HOST_START_TIME),
                number("peer id", PEER_ID));
    }

    private SegmentHeader configured(SegmentIdentity identity) {
        SegmentLayout layout = SegmentLayout.of(
                new SegmentShape(number("channels", CHANNELS), direction(TO_GUEST), direction(TO_HOST)));
        return new SegmentHeader(identity, layout, number("heartbeat", HEARTBEAT));
    }

    private DirectionShape direction(int start) {
        int count = number("slot classes", start + SLOT_CLASSES);
        Limits.range("slot classes", count, 0, Limits.MAX_SLOT_CLASSES, "the header has room for 8");
        List<SlotClass> classes = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            int at = start + CLASS_TABLE + i * CLASS_STRIDE;
            classes.add(new SlotClass(number("slot bytes", at), number("slot count", at + Integer.BYTES)));
        }
        int entry = number("bytes of an entry", start + ENTRY_BYTES);
        Limits.range(
                "bytes of an entry", entry, Limits.LINE, Limits.MAX_ENTRY_BYTES, "it has a header and whole lines");
        DirectionShape shape = new DirectionShape(
                number("ring entries", start + RING_ENTRIES),
                entry - DirectionShape.ENTRY_HEADER_BYTES,
                from.getLong(start + WINDOW),
                classes);
        int slots = number("slots", start + SLOTS);
        if (slots != shape.slots()) {
            throw new IllegalArgumentException("slots=" + slots + ": the classes have " + shape.slots());
        }
        return shape;
    }

    private void checkDirection(String name, int start, DirectionLayout layout) {
        checkOffset(name, "the control lines", start + CONTROL_AT, layout.control());
        checkOffset(name, "the credits", start + CREDITS_AT, layout.credits());
        checkOffset(name, "the entries", start + ENTRIES_AT, layout.entries());
        checkOffset(name, "the words of the slots", start + SLOT_WORDS_AT, layout.slotWords());
        checkOffset(name, "the bytes of the slots", start + SLOT_AREA_AT, layout.slotArea());
    }

    private void checkOffset(String name, String what, int at, int expected) {
        expectLong(SegmentFault.OFFSETS, name + ": the offset of " + what, at, expected);
    }

    private void expectLong(SegmentFault fault, String what, int at, long expected) {
        long found = from.getLong(at);
        if (found != expected) {
            throw new FaultySegmentException(
                    fault, what + " is " + Long.toUnsignedString(found) + ", and the configuration gives " + expected);
        }
    }

    /** Whatever was not looked at must be as this code writes it: zero. */
    private void checkRest(SegmentHeader header) {
        byte[] expected = HeaderWriter.bytes(header);
        // The sums differ as well then, and were compared with what they are sums of.
        System.arraycopy(bytes, CHECKSUM, expected, CHECKSUM, Integer.BYTES);
        int at = Arrays.mismatch(bytes, expected);
        if (at >= 0) {
            throw new FaultySegmentException(
                    SegmentFault.RESERVED, "the byte at " + at + " is " + (bytes[at] & 0xff) + ", and 0 was expected");
        }
    }

    private int number(String name, int at) {
        int value = from.getInt(at);
        if (value < 0) {
            throw new IllegalArgumentException(
                    name + "=" + Integer.toUnsignedString(value) + ": such numbers are below 2^31");
        }
        return value;
    }

    private static <T> T accepted(SegmentFault fault, Supplier<T> values) {
        try {
            return values.get();
        } catch (IllegalArgumentException e) {
            throw new FaultySegmentException(fault, String.valueOf(e.getMessage()));
        }
    }
}

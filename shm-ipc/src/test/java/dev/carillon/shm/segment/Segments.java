package dev.carillon.shm.segment;

import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.carillon.memory.MemoryRegion;
import dev.carillon.memory.OrderedBytes;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** Shapes, headers and their bytes for tests. */
final class Segments {
    static final SegmentIdentity SOMEBODY =
            new SegmentIdentity(0x0123456789abcdefL, 0xfedcba9876543210L, 4_711, 123_456_789L, 17);

    /** One slot class in one direction, none in the other, and an odd number of channels. */
    static final SegmentShape SMALL = new SegmentShape(
            3,
            new DirectionShape(4, 32, 1, List.of()),
            new DirectionShape(8, 96, 70_000, List.of(new SlotClass(64, 1), new SlotClass(192, 3))));

    /** The bytes of each of two slots that make a segment as large as any, where the rest is as small as can be. */
    static final int HALF_OF_THE_LARGEST = (1 << 30) - 3_392;

    private Segments() {}

    static SegmentHeader header(SegmentShape shape) {
        return new SegmentHeader(SOMEBODY, SegmentLayout.of(shape), 250);
    }

    static SegmentShape shape(SplittableRandom random) {
        return new SegmentShape(1 + random.nextInt(Limits.MAX_CHANNELS), direction(random), direction(random));
    }

    private static DirectionShape direction(SplittableRandom random) {
        List<SlotClass> classes = new ArrayList<>();
        int bytes = 0;
        for (int i = random.nextInt(Limits.MAX_SLOT_CLASSES + 1); i > 0; i--) {
            bytes += Limits.LINE * (1 + random.nextInt(2_000));
            classes.add(new SlotClass(bytes, 1 + random.nextInt(40)));
        }
        return new DirectionShape(
                Limits.MIN_RING_ENTRIES << random.nextInt(11),
                Limits.LINE * random.nextInt(20) + 32,
                1 + random.nextLong(Limits.MAX_WINDOW),
                classes);
    }

    static SegmentHeader header(SplittableRandom random) {
        SegmentIdentity identity = new SegmentIdentity(
                random.nextLong(),
                random.nextLong() | 1,
                1 + random.nextInt(Integer.MAX_VALUE),
                random.nextLong() >>> 1,
                1 + random.nextInt(Limits.MAX_PEER_ID));
        return new SegmentHeader(
                identity, SegmentLayout.of(shape(random)), random.nextInt(Limits.MAX_HEARTBEAT_MILLIS + 1));
    }

    /** Makes the checksum right again after a change. */
    static byte[] signed(byte[] header) {
        numbers(header).putInt(HeaderFields.CHECKSUM, HeaderFields.checksum(header));
        return header;
    }

    static ByteBuffer numbers(byte[] header) {
        return ByteBuffer.wrap(header).order(ByteOrder.nativeOrder());
    }

    /** Reads a header that lies in memory as large as any. */
    static SegmentHeader read(byte[] header) {
        HeaderReader.checkMagic(numbers(header).getLong(HeaderFields.MAGIC));
        return new HeaderReader(header).read(Limits.MAX_TOTAL);
    }

    static @Nullable SegmentFault faultOf(byte[] header) {
        try {
            read(header);
            return null;
        } catch (FaultySegmentException e) {
            return e.fault();
        }
    }

    /** Reads a header from the start of memory of that size. */
    static SegmentHeader readFrom(byte[] header, int size) {
        try (MemoryRegion region = MemoryRegion.anonymous(size)) {
            OrderedBytes memory = region.bytes().slice(0, size);
            memory.putBytes(0, header, 0, Math.min(size, header.length));
            return SegmentHeader.readFrom(memory);
        }
    }

    static String refusal(Runnable call) {
        return String.valueOf(
                assertThrows(IllegalArgumentException.class, call::run).getMessage());
    }
}

package dev.carillon.shm.segment;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** One number of a header is wrong, and the checksum fits: what a hostile host writes. */
class HeaderFieldFaultsTest {
    private static final int START = 128;
    private static final int OTHER = 320;

    // r[verify shm.header]
    @ParameterizedTest(name = "u32 at {0} = {1}: {2}")
    @CsvSource({
        "48, 0, IDENTITY",
        "48, -1, IDENTITY",
        "48, 0x80000000, IDENTITY",
        "52, 0, IDENTITY",
        "52, 256, IDENTITY",
        "52, -1, IDENTITY",
        "64, 0, CONFIGURATION",
        "64, 65536, CONFIGURATION",
        "64, -1, CONFIGURATION",
        "64, 2, OFFSETS",
        "68, 3600001, CONFIGURATION",
        "68, -1, CONFIGURATION",
        "76, 1, RESERVED",
        "80, 1, RESERVED",
        "124, 1, RESERVED"
    })
    void aNumberOfTheWhole(int at, String value, SegmentFault fault) {
        assertEquals(fault, faultWith(at, value));
    }

    // r[verify shm.header]
    @ParameterizedTest(name = "u32 at {0} = {1}: {2}")
    @CsvSource({
        "0, 0, CONFIGURATION",
        "0, 2, CONFIGURATION",
        "0, 5, CONFIGURATION",
        "0, 2097152, CONFIGURATION",
        "0, 0x80000000, CONFIGURATION",
        "0, 16, OFFSETS",
        "4, 0, CONFIGURATION",
        "4, 32, CONFIGURATION",
        "4, 96, CONFIGURATION",
        "4, 65600, CONFIGURATION",
        "4, 0x80000040, CONFIGURATION",
        "4, 192, OFFSETS",
        "16, 9, CONFIGURATION",
        "16, -1, CONFIGURATION",
        "20, 1000, CONFIGURATION",
        "20, -1, CONFIGURATION",
        "128, 1, RESERVED",
        "188, 0x80000000, RESERVED"
    })
    void aNumberOfEachDirection(int at, String value, SegmentFault fault) {
        assertEquals(fault, faultWith(START + at, value));
        assertEquals(fault, faultWith(OTHER + at, value));
    }

    // r[verify shm.header]
    @ParameterizedTest(name = "u32 at {0} = {1}: {2}")
    @CsvSource({
        "16, 0, CONFIGURATION",
        "16, 3, CONFIGURATION",
        "64, 0, CONFIGURATION",
        "64, 32, CONFIGURATION",
        "64, 192, CONFIGURATION",
        "64, 256, CONFIGURATION",
        "68, 0, CONFIGURATION",
        "68, 2, CONFIGURATION",
        "72, 64, CONFIGURATION",
        "72, 0x80000000, CONFIGURATION",
        "72, 256, TOTAL_SIZE",
        "76, 1048577, CONFIGURATION",
        "80, 64, RESERVED",
        "84, 1, RESERVED",
        "124, 1, RESERVED"
    })
    void aNumberOfTheClasses(int at, String value, SegmentFault fault) {
        assertEquals(fault, faultWith(OTHER + at, value));
    }

    // r[verify shm.header]
    @ParameterizedTest(name = "u64 at {0} changed: {1}")
    @CsvSource({
        "24, TOTAL_SIZE",
        "152, OFFSETS",
        "160, OFFSETS",
        "168, OFFSETS",
        "176, OFFSETS",
        "184, OFFSETS",
        "344, OFFSETS",
        "352, OFFSETS",
        "360, OFFSETS",
        "368, OFFSETS",
        "376, OFFSETS"
    })
    void anOffsetThatIsNotThatOfTheConfiguration(int at, SegmentFault fault) {
        for (long change : new long[] {1, -1, 64, -64, 128, 1L << 32, 1L << 63}) {
            byte[] bytes = HeaderWriter.bytes(Segments.header(Segments.SMALL));
            ByteBuffer numbers = Segments.numbers(bytes);
            numbers.putLong(at, numbers.getLong(at) + change);
            assertEquals(fault, Segments.faultOf(Segments.signed(bytes)));
        }
    }

    // r[verify shm.header]
    @ParameterizedTest(name = "u64 at {0} = {1}: {2}")
    @CsvSource({
        "56, -1, IDENTITY",
        "56, -9223372036854775808, IDENTITY",
        "136, 0, CONFIGURATION",
        "136, -1, CONFIGURATION",
        "136, 1099511627777, CONFIGURATION",
        "328, 0, CONFIGURATION",
        "328, 1099511627777, CONFIGURATION"
    })
    void aLongNumber(int at, long value, SegmentFault fault) {
        byte[] bytes = HeaderWriter.bytes(Segments.header(Segments.SMALL));
        Segments.numbers(bytes).putLong(at, value);
        assertEquals(fault, Segments.faultOf(Segments.signed(bytes)));
    }

    private static @Nullable SegmentFault faultWith(int at, String value) {
        byte[] bytes = HeaderWriter.bytes(Segments.header(Segments.SMALL));
        Segments.numbers(bytes).putInt(at, Long.decode(value).intValue());
        return Segments.faultOf(Segments.signed(bytes));
    }
}

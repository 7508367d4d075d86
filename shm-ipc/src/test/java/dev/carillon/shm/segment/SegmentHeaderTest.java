package dev.carillon.shm.segment;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.memory.Access;
import dev.carillon.memory.MemoryRegion;
import dev.carillon.memory.OrderedBytes;
import dev.carillon.test.Seeded;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SegmentHeaderTest {
    private static final SegmentHeader SMALL = Segments.header(Segments.SMALL);

    // r[verify shm.header]
    @Test
    void aHeaderIsReadAsItWasWritten(@Seeded SplittableRandom random) {
        for (int i = 0; i < 500; i++) {
            SegmentHeader header = Segments.header(random);
            assertEquals(header, Segments.read(HeaderWriter.bytes(header)));
        }
    }

    // r[verify shm.header]
    @Test
    void aGuestThatMayOnlyReadReadsTheHeaderToo() {
        SegmentHeader header = Segments.header(SegmentShape.defaults());
        try (MemoryRegion host = MemoryRegion.memfd("segment", header.layout().total())) {
            header.writeTo(host.bytes());
            try (MemoryRegion guest = MemoryRegion.ofDescriptor(host.fd(), Access.READ_ONLY)) {
                assertEquals(header, SegmentHeader.readFrom(guest.bytes()));
            }
        }
    }

    // r[verify shm.header]
    @Test
    void theFieldsStandWhereTheSpecificationPutsThem() {
        byte[] bytes = HeaderWriter.bytes(SMALL);
        ByteBuffer at = Segments.numbers(bytes);
        assertEquals("CARILLON", new String(bytes, 0, 8, StandardCharsets.US_ASCII));
        assertEquals(1, at.getInt(8));
        assertEquals(512, at.getInt(12));
        assertEquals(0x01020304, at.getInt(16));
        assertEquals(8, at.getInt(20));
        assertEquals(SMALL.layout().total(), at.getLong(24));
        assertEquals(0x0123456789abcdefL, at.getLong(32));
        assertEquals(0xfedcba9876543210L, at.getLong(40));
        assertEquals(4_711, at.getInt(48));
        assertEquals(17, at.getInt(52));
        assertEquals(123_456_789L, at.getLong(56));
        assertEquals(3, at.getInt(64));
        assertEquals(250, at.getInt(68));
        DirectionLayout toHost = SMALL.layout().toHost();
        assertEquals(8, at.getInt(320));
        assertEquals(128, at.getInt(324));
        assertEquals(70_000, at.getLong(328));
        assertEquals(2, at.getInt(336));
        assertEquals(4, at.getInt(340));
        assertEquals(toHost.control(), at.getLong(344));
        assertEquals(toHost.credits(), at.getLong(352));
        assertEquals(toHost.entries(), at.getLong(360));
        assertEquals(toHost.slotWords(), at.getLong(368));
        assertEquals(toHost.slotArea(), at.getLong(376));
        assertEquals(64, at.getInt(384));
        assertEquals(1, at.getInt(388));
        assertEquals(192, at.getInt(392));
        assertEquals(3, at.getInt(396));
        assertEquals(768, at.getLong(128 + 24));
    }

    /** Bit by bit, as its catalogues define it: no code of ours, and not that of the JDK. */
    @Test
    void theChecksumIsTheCrc32cOfAllButTheMagicAndItself() {
        byte[] bytes = HeaderWriter.bytes(SMALL);
        int sum = HeaderFields.checksum(bytes);
        for (int i : new int[] {0, 7, 72, 75}) {
            byte[] changed = bytes.clone();
            changed[i] ^= 0x55;
            assertEquals(sum, HeaderFields.checksum(changed), () -> "byte " + i);
        }
        int crc = -1;
        for (int i = 8; i < 512; i++) {
            crc ^= i >= 72 && i < 76 ? 0 : bytes[i] & 0xff;
            for (int bit = 0; bit < 8; bit++) {
                crc = crc >>> 1 ^ (0x82f63b78 & -(crc & 1));
            }
        }
        assertEquals(~crc, sum);
    }

    // r[verify shm.header]
    @Test
    void everyChangedByteIsRefusedWithAReason() {
        byte[] sound = HeaderWriter.bytes(SMALL);
        for (int i = 0; i < sound.length; i++) {
            for (int change : new int[] {1, 2, 4, 8, 16, 32, 64, 128, 255}) {
                byte[] changed = sound.clone();
                changed[i] ^= (byte) change;
                int at = i;
                FaultySegmentException e = assertThrows(
                        FaultySegmentException.class,
                        () -> Segments.read(changed),
                        () -> "byte " + at + " is believed");
                assertEquals(faultOfByte(i), e.fault(), () -> "byte " + at);
            }
        }
    }

    private static SegmentFault faultOfByte(int at) {
        if (at < 8) {
            return SegmentFault.MAGIC;
        } else if (at < 12) {
            return SegmentFault.VERSION;
        } else if (at < 16) {
            return SegmentFault.HEADER_SIZE;
        } else if (at < 20) {
            return SegmentFault.ENDIANNESS;
        }
        return at < 24 ? SegmentFault.WORD_SIZE : SegmentFault.CHECKSUM;
    }

    // r[verify shm.header]
    @Test
    void memoryWithoutAMagicWasNotPublishedYet() {
        byte[] bytes = HeaderWriter.bytes(SMALL);
        Arrays.fill(bytes, 0, 8, (byte) 0);
        assertEquals(SegmentFault.UNPUBLISHED, Segments.faultOf(bytes));
        assertEquals(SegmentFault.UNPUBLISHED, Segments.faultOf(new byte[512]));
    }

    // r[verify shm.header]
    @Test
    void everySizeBelowTheTotalIsTooShort() {
        byte[] bytes = HeaderWriter.bytes(SMALL);
        int total = SMALL.layout().total();
        for (int size = 1; size < total; size += size < 768 ? 1 : 64) {
            int truncated = size;
            FaultySegmentException e =
                    assertThrows(FaultySegmentException.class, () -> Segments.readFrom(bytes, truncated));
            assertEquals(SegmentFault.TOO_SHORT, e.fault());
            assertTrue(String.valueOf(e.getMessage()).contains("there are " + size + " bytes"), e::getMessage);
        }
        assertEquals(
                SegmentFault.TOO_SHORT,
                assertThrows(FaultySegmentException.class, () -> Segments.readFrom(bytes, total - 1))
                        .fault());
        assertEquals(SMALL, Segments.readFrom(bytes, total));
        assertEquals(SMALL, Segments.readFrom(bytes, total + 1));
    }

    // r[verify shm.header]
    @Test
    void aHeaderOfTheOtherByteOrderIsRefusedAsSuch() {
        byte[] bytes = HeaderWriter.bytes(SMALL);
        ByteBuffer from = Segments.numbers(bytes.clone());
        ByteOrder other = from.order() == ByteOrder.BIG_ENDIAN ? ByteOrder.LITTLE_ENDIAN : ByteOrder.BIG_ENDIAN;
        ByteBuffer to = ByteBuffer.wrap(bytes).order(other);
        for (int at = 8; at < 512; at += 4) {
            to.putInt(at, from.getInt(at));
        }
        for (int at : new int[] {24, 32, 40, 56, 136, 152, 160, 168, 176, 184, 328, 344, 352, 360, 368, 376}) {
            to.putLong(at, from.getLong(at));
        }
        to.putInt(HeaderFields.CHECKSUM, HeaderFields.checksum(bytes));
        FaultySegmentException e = assertThrows(FaultySegmentException.class, () -> Segments.read(bytes));
        assertEquals(
                "ENDIANNESS: the mark is 04030201, which is the other byte order; 01020304 was expected: host and guest"
                        + " must run on machines of the same byte order",
                e.getMessage());
    }

    // r[verify shm.header]
    @Test
    void aRefusalSaysWhatWasFoundWhatWasExpectedAndWhatToDo() {
        assertMessage(
                "MAGIC: the first 8 bytes are 584152494c4c4f4e, and 434152494c4c4f4e (CARILLON) was expected: this is no"
                        + " segment of Carillon; check which descriptor or file was handed over",
                bytes -> bytes[0] = 'X');
        assertMessage(
                "VERSION: the layout version is 2, and 1 was expected: host and guest must use releases with the same"
                        + " layout; update the older one",
                bytes -> Segments.numbers(bytes).putInt(8, 2));
        assertMessage(
                "HEADER_SIZE: the size of the header is 4294967295, and 512 was expected: host and guest must use releases"
                        + " with the same layout; update the older one",
                bytes -> Segments.numbers(bytes).putInt(12, -1));
        assertMessage(
                "CONFIGURATION: ring entries=6: a ring has a power of two of entries; take 4 or 8: the host is faulty or"
                        + " hostile; make a new link with a host that can be trusted",
                bytes -> Segments.numbers(bytes).putInt(128, 6));
        assertMessage(
                "OFFSETS: to host: the offset of the entries is 18446744073709551615, and the configuration gives "
                        + SMALL.layout().toHost().entries()
                        + ": the host is faulty or hostile; make a new link with a host that can be trusted",
                bytes -> Segments.numbers(bytes).putLong(360, -1));
        assertMessage(
                "RESERVED: the byte at 511 is 255, and 0 was expected: the host is faulty, or has a newer layout with the"
                        + " same version; make a new link",
                bytes -> bytes[511] = -1);
    }

    private interface Change {
        void to(byte[] header);
    }

    private static void assertMessage(String expected, Change change) {
        byte[] bytes = HeaderWriter.bytes(SMALL);
        change.to(bytes);
        FaultySegmentException e =
                assertThrows(FaultySegmentException.class, () -> Segments.read(Segments.signed(bytes)));
        assertEquals(expected, e.getMessage());
    }

    // r[verify shm.header]
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 511, 767, 4_096})
    void aHeaderIsNotWrittenIntoMemoryThatIsTooSmall(int size) {
        SegmentHeader header = Segments.header(SegmentShape.defaults());
        try (MemoryRegion region = MemoryRegion.anonymous(4_096)) {
            OrderedBytes memory = region.bytes().slice(0, size);
            String refusal = Segments.refusal(() -> header.writeTo(memory));
            assertEquals("size=" + size + ": the segment has 2863360 bytes; make the memory that large", refusal);
            assertEquals(0, region.bytes().getLong(8));
        }
    }

    // r[verify shm.header]
    @Test
    void behindTheHeaderNothingIsWritten() {
        int total = SMALL.layout().total();
        try (MemoryRegion region = MemoryRegion.anonymous(total)) {
            SMALL.writeTo(region.bytes());
            byte[] rest = new byte[region.size() - 512];
            region.bytes().getBytes(512, rest, 0, rest.length);
            assertTrue(Arrays.equals(rest, new byte[rest.length]));
        }
    }
}

package dev.carillon.shm.ring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.memory.MemoryRegion;
import dev.carillon.memory.OrderedBytes;
import dev.carillon.test.Seeded;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What stands in an entry's header, byte by byte, and what its reader believes. */
final class EntryTest {
    private static final int ENTRY = 64;
    private static final int INLINE_BYTES = 96;

    private final MemoryRegion region = MemoryRegion.anonymous(256);
    private final OrderedBytes bytes = region.bytes();
    private final EntryHeader header = new EntryHeader();

    @AfterEach
    void closeRegion() {
        region.close();
    }

    private EntryHeader load() {
        header.load(bytes, ENTRY, INLINE_BYTES);
        return header;
    }

    // r[verify shm.descriptor]
    @Test
    void eachFieldLiesWhereTheLayoutSays() {
        EntryLayout.put(
                bytes, ENTRY, 0xFF01, 0x8002, 0xC0DE_0003, 0xF123_4567_89AB_CDEFL, 70_000, 0x0102_0304, 0x9876_5432);
        assertEquals((short) 0xFF01, bytes.getShort(ENTRY));
        assertEquals((short) 0x8002, bytes.getShort(ENTRY + 2));
        assertEquals(0xC0DE_0003, bytes.getInt(ENTRY + 4));
        assertEquals(0xF123_4567_89AB_CDEFL, bytes.getLong(ENTRY + 8));
        assertEquals(70_000, bytes.getInt(ENTRY + 16));
        assertEquals(0x0102_0305, bytes.getInt(ENTRY + 20));
        assertEquals(0x9876_5432, bytes.getInt(ENTRY + 24));
        assertEquals(0, bytes.getInt(ENTRY + 28));
        assertEquals(0, bytes.getLong(ENTRY - 8));
        assertEquals(0, bytes.getLong(ENTRY + 32));
    }

    // r[verify shm.descriptor]
    @Test
    void allThatIsWrittenIsRead(@Seeded SplittableRandom random) {
        for (int i = 0; i < 1_000; i++) {
            int type = random.nextInt(1 << 16);
            int flags = random.nextInt(1 << 16);
            int channel = random.nextInt();
            long id = random.nextLong();
            boolean inline = random.nextBoolean();
            int length = random.nextInt(inline ? INLINE_BYTES + 1 : Integer.MAX_VALUE);
            int slot = inline ? EntryLayout.INLINE : random.nextInt(Integer.MAX_VALUE);
            int generation = inline ? 0 : random.nextInt();
            EntryLayout.put(bytes, ENTRY, type, flags, channel, id, length, slot, generation);
            load();
            assertEquals(type, header.type());
            assertEquals(flags, header.flags());
            assertEquals(channel, header.channel());
            assertEquals(id, header.id());
            assertEquals(length, header.length());
            assertEquals(inline, header.isInline());
            assertEquals(slot, header.slot());
            assertEquals(generation, header.generation());
        }
    }

    /** Fields that are too wide for their place do not spill into their neighbours. */
    @Test
    void aFieldStaysInItsPlace() {
        EntryLayout.putInline(bytes, ENTRY, -1, 0, 0, 0, 0);
        assertEquals(0xFFFF, load().type());
        assertEquals(0, header.flags());
        EntryLayout.putInline(bytes, ENTRY, 0, -1, 0, 0, 0);
        assertEquals(0, load().type());
        assertEquals(0, header.channel());
        EntryLayout.putInline(bytes, ENTRY, 0, 0, -1, 0, 0);
        assertEquals(0, load().flags());
        assertEquals(-1, header.channel());
        assertTrue(header.isInline());
    }

    // r[verify shm.descriptor]
    @Test
    void theCopyStaysWhenThePeerChangesTheEntry() {
        EntryLayout.put(bytes, ENTRY, 1, 2, 3, 4, 5, 6, 7);
        load();
        EntryLayout.put(bytes, ENTRY, 91, 92, 93, 94, 95, 96, 97);
        assertEquals("type=1 flags=2 channel=3 id=4 length=5 slot=6 generation=7", header.toString());
        assertFalse(header.isInline());
    }

    private void assertRefused(String part) {
        EntryViolation found = assertThrows(EntryViolation.class, this::load);
        assertTrue(String.valueOf(found.getMessage()).contains(part), found::toString);
    }

    // r[verify shm.descriptor]
    @Test
    void aHeaderThatContradictsItselfIsAViolation() {
        EntryLayout.putInline(bytes, ENTRY, 1, 0, 0, 0, INLINE_BYTES + 1);
        assertRefused("length=97");
        EntryLayout.putInline(bytes, ENTRY, 1, 0, 0, 0, -1);
        assertRefused("length=4294967295");
        EntryLayout.put(bytes, ENTRY, 1, 0, 0, 0, Integer.MIN_VALUE, 3, 0);
        assertRefused("length=2147483648");
        EntryLayout.put(bytes, ENTRY, 1, 0, 0, 0, 1, -2, 0);
        assertRefused("slot=4294967294");
        EntryLayout.put(bytes, ENTRY, 1, 0, 0, 0, 1, EntryLayout.INLINE, 1);
        assertRefused("generation=1");
        EntryLayout.putInline(bytes, ENTRY, 1, 0, 0, 0, 1);
        bytes.putInt(ENTRY + 28, 1);
        assertRefused("last word");
    }

    // r[verify shm.descriptor]
    @Test
    void garbageIsAViolationOrAHeaderWithinItsLimits(@Seeded SplittableRandom random) {
        for (int i = 0; i < 20_000; i++) {
            for (int word = 0; word < 4; word++) {
                bytes.putLong(ENTRY + 8 * word, random.nextLong() >>> random.nextInt(64));
            }
            try {
                load();
            } catch (EntryViolation expected) {
                continue;
            }
            assertTrue(header.length() >= 0, header::toString);
            assertTrue(header.isInline() ? header.length() <= INLINE_BYTES : header.slot() >= 0, header::toString);
        }
    }
}

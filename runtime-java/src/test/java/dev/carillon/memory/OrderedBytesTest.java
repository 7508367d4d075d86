package dev.carillon.memory;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.junit.jupiter.api.Test;

final class OrderedBytesTest {
    private static final int SIZE = 64;

    private final ByteBuffer memory = ByteBuffer.allocateDirect(SIZE).order(ByteOrder.nativeOrder());
    private final OrderedBytes bytes = new OrderedBytes(memory.duplicate(), RegionViews.ofSafePages("test memory"), 0);

    @Test
    void plainNumbersAreInNativeByteOrder() {
        bytes.putByte(0, (byte) -7);
        bytes.putShort(2, (short) -1_234);
        bytes.putInt(4, -123_456_789);
        bytes.putLong(8, 0x0102_0304_0506_0708L);

        assertEquals(-7, bytes.getByte(0));
        assertEquals(-1_234, bytes.getShort(2));
        assertEquals(-123_456_789, bytes.getInt(4));
        assertEquals(0x0102_0304_0506_0708L, bytes.getLong(8));
        assertEquals(0x0102_0304_0506_0708L, memory.getLong(8));
    }

    // r[verify memory.order]
    @Test
    void eachOrderReadsWhatEachOrderWrote() {
        bytes.putIntOpaque(4, 1);
        assertEquals(1, bytes.getIntAcquire(4));
        bytes.putIntRelease(4, 2);
        assertEquals(2, bytes.getIntVolatile(4));
        bytes.putIntVolatile(4, 3);
        assertEquals(3, bytes.getIntOpaque(4));
        bytes.putLongOpaque(8, 4);
        assertEquals(4, bytes.getLongAcquire(8));
        bytes.putLongRelease(8, 5);
        assertEquals(5, bytes.getLongVolatile(8));
        bytes.putLongVolatile(8, 6);
        assertEquals(6, bytes.getLongOpaque(8));
    }

    @Test
    void compareAndSetWritesOnlyOverTheExpectedValue() {
        assertTrue(bytes.compareAndSetInt(4, 0, 7));
        assertFalse(bytes.compareAndSetInt(4, 0, 8));
        assertEquals(7, bytes.getInt(4));
        assertTrue(bytes.compareAndSetLong(8, 0, 9));
        assertFalse(bytes.compareAndSetLong(8, 0, 10));
        assertEquals(9, bytes.getLong(8));
    }

    @Test
    void addingAndSettingReturnWhatWasThereBefore() {
        assertEquals(0, bytes.getAndAddInt(4, 5));
        assertEquals(5, bytes.getAndSetInt(4, -1));
        assertEquals(-1, bytes.getInt(4));
        assertEquals(0, bytes.getAndAddLong(8, 5));
        assertEquals(5, bytes.getAndSetLong(8, -1));
        assertEquals(-1, bytes.getLong(8));
    }

    @Test
    void arraysAndBuffersAreCopiedBothWays() {
        byte[] source = {1, 2, 3, 4, 5};
        bytes.putBytes(3, source, 1, 3);
        byte[] target = new byte[5];
        bytes.getBytes(3, target, 1, 3);
        assertArrayEquals(new byte[] {0, 2, 3, 4, 0}, target);

        ByteBuffer from = ByteBuffer.wrap(source).position(1).limit(4);
        bytes.putBytes(40, from);
        assertEquals(0, from.remaining());
        bytes.putBytes(50, from, 2, 2);
        assertEquals(4, from.position(), "it stays");
        assertEquals(3, bytes.getByte(50));
        assertEquals(4, bytes.getByte(51));
        ByteBuffer to = ByteBuffer.allocateDirect(3);
        bytes.getBytes(40, to);
        assertEquals(3, to.position());
        assertEquals(ByteBuffer.wrap(source, 1, 3), to.flip());
    }

    @Test
    void aSliceSharesItsBytesAndHasItsOwnBounds() {
        OrderedBytes slice = bytes.slice(8, 24).slice(8, 12);
        slice.putIntRelease(8, 77);
        assertEquals(77, bytes.getIntAcquire(24));
        assertEquals(12, slice.size());
        assertThrows(IndexOutOfBoundsException.class, () -> slice.getLong(8));
        assertThrows(IndexOutOfBoundsException.class, () -> slice.getInt(12));
    }

    @Test
    void aSliceOutsideOrNotOnEightIsRefused() {
        assertThrows(IllegalArgumentException.class, () -> bytes.slice(4, 8));
        assertThrows(IndexOutOfBoundsException.class, () -> bytes.slice(-8, 8));
        assertThrows(IndexOutOfBoundsException.class, () -> bytes.slice(56, 16));
        assertThrows(IndexOutOfBoundsException.class, () -> bytes.slice(8, Integer.MAX_VALUE));
        assertThrows(IndexOutOfBoundsException.class, () -> bytes.slice(8, -1));
    }

    @Test
    void aCopyOutsideNamesTheSideThatIsTooShort() {
        byte[] array = new byte[16];
        IndexOutOfBoundsException region =
                assertThrows(IndexOutOfBoundsException.class, () -> bytes.getBytes(56, array, 0, 16));
        assertEquals("outside the region: offset=56 size=16 capacity=64", region.getMessage());
        IndexOutOfBoundsException target =
                assertThrows(IndexOutOfBoundsException.class, () -> bytes.getBytes(0, array, 8, 16));
        assertEquals("outside the array: offset=8 size=16 capacity=16", target.getMessage());
        assertThrows(IndexOutOfBoundsException.class, () -> bytes.putBytes(0, array, 0, -1));
        assertThrows(IndexOutOfBoundsException.class, () -> bytes.putBytes(-1, array, 0, 1));
        assertThrows(IndexOutOfBoundsException.class, () -> bytes.putBytes(Integer.MAX_VALUE, array, 0, 1));
        assertThrows(IndexOutOfBoundsException.class, () -> bytes.putBytes(56, ByteBuffer.wrap(array)));
        assertThrows(IndexOutOfBoundsException.class, () -> bytes.putBytes(56, ByteBuffer.wrap(array), 0, 16));
        assertThrows(IndexOutOfBoundsException.class, () -> bytes.putBytes(0, ByteBuffer.wrap(array), array.length, 1));
        assertThrows(IndexOutOfBoundsException.class, () -> bytes.getBytes(-1, ByteBuffer.wrap(array)));
    }

    @Test
    void aRefusedCopyMovesNoPosition() {
        ByteBuffer source = ByteBuffer.allocate(16).position(4);
        assertThrows(IndexOutOfBoundsException.class, () -> bytes.putBytes(56, source));
        assertEquals(4, source.position());
    }
}

package dev.carillon.shm.ring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.carillon.memory.MemoryRegion;
import dev.carillon.memory.OrderedBytes;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The single steps of a ring. */
final class RingTest {
    private static final int CAPACITY = 8;
    private static final RingPlace PLACE = Rings.place(CAPACITY);

    private final MemoryRegion region = Rings.region(CAPACITY, 0);
    private final OrderedBytes bytes = region.bytes();
    private final RingSender sender = new RingSender(bytes, PLACE, 0);
    private final RingReceiver receiver = new RingReceiver(bytes, PLACE, 0);

    @AfterEach
    void closeRegion() {
        region.close();
    }

    // r[verify shm.ring]
    @Test
    void whatIsPublishedIsAvailableAndNothingElse() {
        assertEquals(0, receiver.available());
        bytes.putLong(sender.offset(0) + EntryLayout.HEADER_BYTES, 11);
        bytes.putLong(sender.offset(1) + EntryLayout.HEADER_BYTES, 12);
        assertEquals(0, receiver.available());
        sender.publish(2);
        assertEquals(2, receiver.available());
        assertEquals(11, bytes.getLong(receiver.offset(0) + EntryLayout.HEADER_BYTES));
        assertEquals(12, bytes.getLong(receiver.offset(1) + EntryLayout.HEADER_BYTES));
        receiver.release(1);
        assertEquals(1, receiver.available());
        assertEquals(12, bytes.getLong(receiver.offset(0) + EntryLayout.HEADER_BYTES));
        assertEquals(1, sender.unread());
        receiver.release(1);
        assertEquals(0, receiver.available());
        assertEquals(0, sender.unread());
        assertEquals(2, sender.position());
        assertEquals(2, receiver.position());
    }

    // r[verify shm.ring]
    @Test
    void theOtherSidesCounterIsReadOnlyWhereWhatIsKnownIsNotEnough() {
        assertEquals(7, sender.freeForData());
        sender.publish(4);
        assertEquals(4, receiver.available(4));
        receiver.release(4);
        bytes.putLong(PLACE.tail(), 99);
        bytes.putLong(PLACE.head(), 99);
        assertEquals(3, sender.freeForData(3));
        assertEquals(4, sender.freeForControl());
        assertThrows(CounterViolation.class, () -> sender.freeForData(4));
        assertEquals(0, receiver.available(0));
        assertThrows(CounterViolation.class, receiver::available);
    }

    // r[verify shm.ring]
    @Test
    void nobodyReadsBackWhatItPublished() {
        sender.publish(3);
        assertEquals(3, receiver.available());
        bytes.putLong(PLACE.head(), -1);
        assertEquals(4, sender.freeForData());
        sender.publish(1);
        assertEquals(4, bytes.getLong(PLACE.head()));
        receiver.release(1);
        bytes.putLong(PLACE.tail(), 12345);
        receiver.release(1);
        assertEquals(2, bytes.getLong(PLACE.tail()));
    }

    @Test
    void aCounterAtItsLimitIsNoViolation() {
        sender.publish(3);
        bytes.putLong(PLACE.tail(), 3);
        assertEquals(0, sender.unread());
        bytes.putLong(PLACE.head(), 8);
        assertEquals(8, receiver.available(CAPACITY));
    }

    @Test
    void moreThanIsFreeOrAvailableIsRefused() {
        sender.publish(CAPACITY);
        assertThrows(IllegalArgumentException.class, () -> sender.publish(1));
        assertThrows(IllegalArgumentException.class, () -> sender.publish(-1));
        assertEquals(CAPACITY, receiver.available());
        receiver.release(CAPACITY);
        assertThrows(IllegalArgumentException.class, () -> receiver.release(1));
        assertThrows(IllegalArgumentException.class, () -> receiver.release(-1));
        assertEquals(CAPACITY, sender.position());
        assertEquals(CAPACITY, receiver.position());
    }
}

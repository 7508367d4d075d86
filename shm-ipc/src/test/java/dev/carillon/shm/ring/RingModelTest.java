package dev.carillon.shm.ring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.memory.MemoryRegion;
import dev.carillon.memory.OrderedBytes;
import dev.carillon.test.Seeded;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Random operations on a ring and on a plain queue. */
final class RingModelTest {
    private static final int ROUNDS = Boolean.getBoolean("carillon.stress") ? 2_000 : 100;
    private static final int OPERATIONS = 1_000;
    private static final long[] LIMITS = {0, 1L << 31, 1L << 32, Long.MIN_VALUE, 1L << 20};

    // r[verify shm.ring]
    // r[verify shm.ring.capacity]
    @Test
    void aRingIsAQueue(@Seeded SplittableRandom random) {
        for (int round = 0; round < ROUNDS; round++) {
            int capacity = 4 << random.nextInt(7);
            long start = LIMITS[random.nextInt(LIMITS.length)] - random.nextInt(3 * OPERATIONS);
            try (MemoryRegion region = Rings.region(capacity, start)) {
                Model model = new Model(region.bytes(), capacity, start);
                for (int i = 0; i < OPERATIONS; i++) {
                    model.operate(random);
                }
                model.drain();
            }
        }
    }

    /** Both sides of a ring, and what must be in it. */
    private static final class Model {
        private final OrderedBytes bytes;
        private final RingPlace place;
        private final RingSender sender;
        private final RingReceiver receiver;
        private final Queue<Long> unread = new ArrayDeque<>();
        private final long start;
        private long sent;
        private long taken;

        Model(OrderedBytes bytes, int capacity, long start) {
            this.bytes = bytes;
            this.start = start;
            place = Rings.place(capacity);
            sender = new RingSender(bytes, place, start);
            receiver = new RingReceiver(bytes, place, start);
        }

        void operate(SplittableRandom random) {
            int wanted = random.nextInt(place.capacity() + 2);
            switch (random.nextInt(4)) {
                case 0 -> sendData(wanted);
                case 1 -> sendControl(random.nextInt(2));
                default -> receive(wanted);
            }
            assertEquals(start + sent, bytes.getLong(place.head()));
            assertEquals(start + taken, bytes.getLong(place.tail()));
        }

        private void sendData(int wanted) {
            int exact = Math.max(0, place.capacity() - place.reserve() - unread.size());
            int free = sender.freeForData(wanted);
            assertTrue(
                    free <= exact && free >= Math.min(wanted, exact), () -> free + " of " + exact + " for " + wanted);
            send(Math.min(free, wanted));
            assertTrue(sender.freeForData() >= Math.min(1, exact - Math.min(free, wanted)));
        }

        private void sendControl(int wanted) {
            int exact = place.capacity() - unread.size();
            int free = sender.freeForControl();
            assertTrue(free <= exact && free >= Math.min(1, exact), () -> free + " of " + exact);
            send(Math.min(free, wanted));
        }

        private void send(int count) {
            for (int i = 0; i < count; i++) {
                bytes.putLong(sender.offset(i) + EntryLayout.HEADER_BYTES, sent + i);
                unread.add(sent + i);
            }
            sender.publish(count);
            sent += count;
        }

        private void receive(int wanted) {
            int available = receiver.available(wanted);
            assertTrue(
                    available <= unread.size() && available >= Math.min(wanted, unread.size()),
                    () -> available + " of " + unread.size() + " for " + wanted);
            take(Math.min(available, wanted));
            assertEquals(unread.size(), sender.unread());
        }

        private void take(int count) {
            for (int i = 0; i < count; i++) {
                assertEquals(unread.remove(), bytes.getLong(receiver.offset(i) + EntryLayout.HEADER_BYTES));
            }
            receiver.release(count);
            taken += count;
        }

        void drain() {
            take(receiver.available(place.capacity()));
            assertEquals(0, unread.size());
            assertEquals(sent, taken);
            assertEquals(0, sender.unread());
            assertEquals(place.capacity(), sender.freeForControl());
        }
    }
}

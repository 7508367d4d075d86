package dev.carillon.shm.ring;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.memory.MemoryRegion;
import dev.carillon.memory.OrderedBytes;
import dev.carillon.test.Seeded;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** A peer that writes what it likes into its counter, and into the entries. */
final class HostileCounterTest {
    private static final int CAPACITY = 16;
    private static final RingPlace PLACE = Rings.place(CAPACITY);
    private static final int WRITES = Boolean.getBoolean("carillon.stress") ? 5_000_000 : 100_000;

    /** Near what was there, near a limit of the arithmetic, or anything. */
    private static long garbage(SplittableRandom random, long before) {
        return switch (random.nextInt(4)) {
            case 0 -> before + random.nextInt(-20, 21);
            case 1 -> before + (1L << 32) * random.nextInt(-2, 3) + random.nextInt(-2, 3);
            case 2 -> before + Long.MIN_VALUE + random.nextInt(-2, 3);
            default -> random.nextLong();
        };
    }

    // r[verify shm.ring.capacity]
    @Test
    void aSenderTakesNoMoreThanTheRingWhateverTheTailSays(@Seeded SplittableRandom random) {
        int violations = 0;
        try (MemoryRegion region = Rings.region(CAPACITY, -3)) {
            OrderedBytes bytes = region.bytes();
            RingSender sender = new RingSender(bytes, PLACE, -3);
            for (int i = 0; i < WRITES; i++) {
                long before = sender.position() - random.nextInt(CAPACITY + 1);
                bytes.putLong(PLACE.tail(), garbage(random, before));
                try {
                    int free = sender.freeForData(CAPACITY);
                    assertTrue(free >= 0 && free <= CAPACITY - PLACE.reserve(), () -> sender + " free=" + free);
                    sender.publish(random.nextInt(free + 1));
                } catch (CounterViolation expected) {
                    violations++;
                }
                assertTrue(inside(sender.offset(random.nextInt(CAPACITY))));
            }
        }
        assertTrue(violations > WRITES / 4 && violations < WRITES, "violations=" + violations);
    }

    // r[verify shm.ring.capacity]
    @Test
    void aReceiverReadsNoMoreThanTheRingWhateverTheHeadSays(@Seeded SplittableRandom random) {
        int violations = 0;
        try (MemoryRegion region = Rings.region(CAPACITY, Long.MAX_VALUE)) {
            OrderedBytes bytes = region.bytes();
            RingReceiver receiver = new RingReceiver(bytes, PLACE, Long.MAX_VALUE);
            for (int i = 0; i < WRITES; i++) {
                long before = receiver.position() + random.nextInt(CAPACITY + 1);
                bytes.putLong(PLACE.head(), garbage(random, before));
                try {
                    int available = receiver.available(CAPACITY);
                    assertTrue(available >= 0 && available <= CAPACITY, () -> receiver + " available=" + available);
                    receiver.release(random.nextInt(available + 1));
                } catch (CounterViolation expected) {
                    violations++;
                }
                assertTrue(inside(receiver.offset(random.nextInt(CAPACITY))));
            }
        }
        assertTrue(violations > WRITES / 4 && violations < WRITES, "violations=" + violations);
    }

    private static boolean inside(int offset) {
        return offset >= PLACE.entries() && offset <= Rings.size(CAPACITY) - PLACE.entryBytes();
    }
}

package dev.carillon.shm.slot;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.carillon.memory.MemoryRegion;
import dev.carillon.memory.OrderedBytes;
import dev.carillon.shm.ring.EntryHeader;
import dev.carillon.shm.ring.EntryLayout;
import dev.carillon.shm.ring.RingPlace;
import dev.carillon.shm.ring.RingReceiver;
import dev.carillon.shm.ring.RingSender;
import dev.carillon.test.ChildExit;
import dev.carillon.test.ChildJvm;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** A message leaves no garbage behind, inline or in a slot, also where ring or slots are full. */
final class NoAllocationIT {
    /** An object of the smallest size per message would need 96 MB. */
    private static final int ROUNDS = 2_000_000;

    private static final RingPlace RING = new RingPlace(0, 128, 256, 64, 4);
    private static final SlotPlace SLOTS = Slots.placeAt(512, 64, 2, 128, 1);

    @Test
    void aVmWithoutGarbageCollectorSendsAndReceivesForEver() {
        ChildExit exit = ChildJvm.of(Messages.class)
                .vmFlags("-XX:+UnlockExperimentalVMOptions", "-XX:+UseEpsilonGC", "-Xmx32m")
                .run(Duration.ofSeconds(60));
        exit.assertPrinted("done");
        assertEquals(0, exit.code(), exit::toString);
    }

    /** Fills and empties a ring again and again. */
    static final class Messages {
        public static void main(String[] args) {
            try (MemoryRegion region = MemoryRegion.anonymous(Slots.size(SLOTS))) {
                Link link = new Link(region.bytes());
                for (int round = 0; round < ROUNDS; round++) {
                    link.sendThreeOfFour();
                    link.receiveThree();
                }
            }
            System.out.println("done");
        }
    }

    /** Both sides of a direction. */
    private static final class Link {
        private final OrderedBytes bytes;
        private final RingSender sender;
        private final RingReceiver receiver;
        private final SlotPool pool;
        private final SlotUser user;
        private final EntryHeader header = new EntryHeader();

        Link(OrderedBytes bytes) {
            this.bytes = bytes;
            sender = new RingSender(bytes, RING, 0);
            receiver = new RingReceiver(bytes, RING, 0);
            pool = new SlotPool(bytes, SLOTS, 0);
            user = new SlotUser(bytes, SLOTS, 0);
        }

        void sendThreeOfFour() {
            for (int i = 0; i < 4; i++) {
                int slot = sender.freeForData() == 0 ? SlotPool.NONE : pool.claim(i * 40);
                if (slot >= 0) {
                    bytes.putLong(pool.offset(slot), i);
                    pool.send(slot);
                    EntryLayout.put(bytes, sender.offset(0), 1, 2, 3, i, 8, slot, pool.generation(slot));
                    sender.publish(1);
                }
            }
            assertFull();
        }

        private void assertFull() {
            if (sender.freeForData() != 0 || pool.claim(1) != SlotPool.NONE) {
                throw new AssertionError(sender + " " + pool);
            }
        }

        void receiveThree() {
            for (int i = receiver.available(4); i > 0; i--) {
                header.load(bytes, receiver.offset(0), 32);
                user.hold(header.slot(), header.generation(), header.length());
                receiver.release(1);
                user.release(header.slot(), header.generation());
            }
        }
    }
}

package dev.carillon.shm.slot;

import dev.carillon.memory.MemoryRegion;
import dev.carillon.memory.OrderedBytes;
import dev.carillon.shm.ring.EntryHeader;
import dev.carillon.shm.ring.EntryLayout;
import dev.carillon.shm.ring.RingPlace;
import dev.carillon.shm.ring.RingReceiver;
import dev.carillon.shm.ring.RingSender;
import dev.carillon.test.Deadline;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Executor;
import java.util.zip.CRC32C;

/** Messages of mixed sizes through a ring and slots, as a link sends them: the steps and their order are the link's. */
final class Traffic {
    static final Duration LIMIT = Duration.ofSeconds(100);

    private static final int INLINE_BYTES = 96;
    private static final int LARGEST = 16_384;
    private static final int MOST_KEPT = 5;
    private static final long START = -1_000;
    private static final RingPlace RING = new RingPlace(0, 128, 512, 32 + INLINE_BYTES, 64);
    private static final SlotPlace SLOTS = Slots.placeAt(512 + 64 * (32 + INLINE_BYTES), 1_024, 16, LARGEST, 8);

    private final OrderedBytes bytes;
    private final SplittableRandom random;
    private final Deadline deadline = Deadline.after(LIMIT);
    private final byte[] payload = new byte[LARGEST];
    private final CRC32C sum = new CRC32C();

    Traffic(MemoryRegion region, long seed) {
        bytes = region.bytes();
        random = new SplittableRandom(seed);
    }

    /** An empty ring and free slots, with counters and generations that wrap soon. */
    static MemoryRegion region() {
        MemoryRegion region = MemoryRegion.memfd("traffic", Slots.size(SLOTS));
        RING.begin(region.bytes(), START);
        SLOTS.begin(region.bytes(), (int) START);
        return region;
    }

    /** Sends messages, in batches of some; their checksum. */
    long send(int messages) {
        RingSender ring = new RingSender(bytes, RING, START);
        SlotPool pool = new SlotPool(bytes, SLOTS, (int) START);
        int written = 0;
        int batch = 1;
        for (int i = 0; i < messages; i++) {
            if (written == batch) {
                ring.publish(written);
                written = 0;
                batch = 1 + random.nextInt(16);
            }
            if (ring.freeForData(written + 1) <= written) {
                ring.publish(written);
                written = 0;
                deadline.await("the ring has room", () -> ring.freeForData() > 0);
            }
            int length = fill();
            int slot = EntryLayout.INLINE;
            if (length > INLINE_BYTES) {
                slot = pool.claim(length);
                if (slot == SlotPool.NONE) {
                    ring.publish(written);
                    written = 0;
                    slot = awaitSlot(pool, length);
                }
                bytes.putBytes(pool.offset(slot), payload, 0, length);
                pool.send(slot);
            }
            int entry = ring.offset(written);
            if (slot == EntryLayout.INLINE) {
                bytes.putBytes(entry + EntryLayout.HEADER_BYTES, payload, 0, length);
                EntryLayout.putInline(bytes, entry, 1, 0, 2, i, length);
            } else {
                EntryLayout.put(bytes, entry, 1, 0, 2, i, length, slot, pool.generation(slot));
            }
            written++;
        }
        ring.publish(written);
        deadline.await("all is read", () -> ring.unread() == 0);
        deadline.await("all slots are back", () -> pool.collect() >= 0 && pool.free() == pool.slots());
        return sum.getValue();
    }

    private int awaitSlot(SlotPool pool, int length) {
        int[] slot = {SlotPool.NONE};
        deadline.await("a slot is free", () -> {
            slot[0] = pool.claim(length);
            return slot[0] != SlotPool.NONE;
        });
        return slot[0];
    }

    private int fill() {
        int kind = random.nextInt(10);
        int length = kind < 6 ? random.nextInt(INLINE_BYTES + 1) : random.nextInt(kind < 9 ? 1_024 : LARGEST + 1);
        byte first = (byte) random.nextInt();
        for (int i = 0; i < length; i++) {
            payload[i] = (byte) (first + i);
        }
        sum.update(payload, 0, length);
        return length;
    }

    /** Receives messages, keeps some slots for a while, and frees them in any order; the checksum of what came. */
    long receive(int messages) {
        return receive(messages, Runnable::run);
    }

    /** As the other one; the slots are freed where the executor says. */
    long receive(int messages, Executor releases) {
        RingReceiver ring = new RingReceiver(bytes, RING, START);
        SlotUser user = new SlotUser(bytes, SLOTS, (int) START);
        EntryHeader header = new EntryHeader();
        List<int[]> kept = new ArrayList<>();
        for (int received = 0; received < messages; received++) {
            if (ring.available() == 0) {
                deadline.await("there is a message", () -> ring.available() > 0);
            }
            header.load(bytes, ring.offset(0), INLINE_BYTES);
            if (header.id() != received) {
                throw new AssertionError("message " + received + " is " + header);
            }
            if (header.isInline()) {
                take(ring.offset(0) + EntryLayout.HEADER_BYTES, header.length());
                ring.release(1);
            } else {
                int offset = user.hold(header.slot(), header.generation(), header.length());
                ring.release(1);
                take(offset, header.length());
                kept.add(new int[] {header.slot(), header.generation()});
            }
            while (kept.size() > random.nextInt(MOST_KEPT)) {
                int[] slot = kept.remove(random.nextInt(kept.size()));
                releases.execute(() -> user.release(slot[0], slot[1]));
            }
        }
        for (int[] slot : kept) {
            releases.execute(() -> user.release(slot[0], slot[1]));
        }
        return sum.getValue();
    }

    private void take(int offset, int length) {
        bytes.getBytes(offset, payload, 0, length);
        sum.update(payload, 0, length);
    }
}

package dev.carillon.shm.ring;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.carillon.memory.Access;
import dev.carillon.memory.MemoryRegion;
import dev.carillon.memory.OrderedBytes;
import dev.carillon.test.Deadline;
import dev.carillon.test.Futures;
import dev.carillon.test.Seeded;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Two threads, each with a mapping of its own of the same memory. */
final class RingThreadsTest {
    private static final int CAPACITY = 256;
    private static final int MESSAGES = Boolean.getBoolean("carillon.stress") ? 50_000_000 : 2_000_000;
    private static final Duration LIMIT = Duration.ofSeconds(100);

    // r[verify shm.ring]
    @Test
    void allMessagesComeInOrder(@Seeded SplittableRandom random) throws Exception {
        try (MemoryRegion here = MemoryRegion.memfd("ring", Rings.size(CAPACITY));
                MemoryRegion there = MemoryRegion.ofDescriptor(here.fd(), Access.READ_WRITE)) {
            long start = -MESSAGES / 2;
            Rings.place(CAPACITY).begin(here.bytes(), start);
            SplittableRandom sizes = random.split();
            CompletableFuture<Long> sent = CompletableFuture.supplyAsync(
                    () -> send(there.bytes(), start, sizes), task -> new Thread(task).start());
            long received = receive(here.bytes(), start, random);
            assertEquals(Futures.get(sent), received);
        }
    }

    private static long send(OrderedBytes bytes, long start, SplittableRandom random) {
        RingSender ring = new RingSender(bytes, Rings.place(CAPACITY), start);
        Deadline deadline = Deadline.after(LIMIT);
        long sum = 0;
        int sent = 0;
        while (sent < MESSAGES) {
            int wanted = Math.min(1 + random.nextInt(64), MESSAGES - sent);
            int count = Math.min(ring.freeForData(wanted), wanted);
            for (int i = 0; i < count; i++) {
                int entry = ring.offset(i);
                long value = random.nextLong();
                EntryLayout.putInline(bytes, entry, 1, 2, 3, sent + i, 16);
                bytes.putLong(entry + EntryLayout.HEADER_BYTES, value);
                bytes.putLong(entry + EntryLayout.HEADER_BYTES + 8, ~value);
                sum = 31 * sum + value;
            }
            ring.publish(count);
            sent += count;
            if (count == 0) {
                deadline.await("there is room", () -> ring.freeForData() > 0);
            }
        }
        return sum;
    }

    private static long receive(OrderedBytes bytes, long start, SplittableRandom random) {
        RingReceiver ring = new RingReceiver(bytes, Rings.place(CAPACITY), start);
        EntryHeader header = new EntryHeader();
        Deadline deadline = Deadline.after(LIMIT);
        long sum = 0;
        int received = 0;
        while (received < MESSAGES) {
            int wanted = 1 + random.nextInt(64);
            int count = Math.min(ring.available(wanted), wanted);
            for (int i = 0; i < count; i++) {
                int entry = ring.offset(i);
                header.load(bytes, entry, 32);
                long value = bytes.getLong(entry + EntryLayout.HEADER_BYTES);
                if (header.id() != received + i || bytes.getLong(entry + EntryLayout.HEADER_BYTES + 8) != ~value) {
                    throw new AssertionError("message " + (received + i) + " is not whole: " + header);
                }
                sum = 31 * sum + value;
            }
            ring.release(count);
            received += count;
            if (count == 0) {
                deadline.await("there is a message", () -> ring.available() > 0);
            }
        }
        return sum;
    }
}

package dev.carillon.shm.slot;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.carillon.memory.Access;
import dev.carillon.memory.MemoryRegion;
import dev.carillon.test.Futures;
import dev.carillon.test.Seeded;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Messages through a ring and slots between two threads, each with a mapping of its own. */
final class TrafficTest {
    private static final int MESSAGES = Boolean.getBoolean("carillon.stress") ? 5_000_000 : 100_000;

    // r[verify shm.slot]
    @Test
    void allMessagesOfAllSizesComeWholeAndInOrder(@Seeded long seed) throws Exception {
        try (MemoryRegion here = Traffic.region();
                MemoryRegion there = MemoryRegion.ofDescriptor(here.fd(), Access.READ_WRITE)) {
            CompletableFuture<Long> sent = CompletableFuture.supplyAsync(
                    () -> new Traffic(there, seed).send(MESSAGES), task -> new Thread(task).start());
            long received = new Traffic(here, ~seed).receive(MESSAGES);
            assertEquals(Futures.get(sent), received);
        }
    }
}

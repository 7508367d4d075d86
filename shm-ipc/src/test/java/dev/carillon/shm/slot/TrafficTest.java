package dev.carillon.shm.slot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.memory.Access;
import dev.carillon.memory.MemoryRegion;
import dev.carillon.test.Futures;
import dev.carillon.test.Seeded;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
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

    // r[verify shm.slot]
    @Test
    void otherThreadsMayReleaseWhatOneReceives(@Seeded long seed) throws Exception {
        ExecutorService workers = Executors.newFixedThreadPool(2);
        List<CompletableFuture<Void>> releases = new ArrayList<>();
        try (MemoryRegion here = Traffic.region();
                MemoryRegion there = MemoryRegion.ofDescriptor(here.fd(), Access.READ_WRITE)) {
            CompletableFuture<Long> sent = CompletableFuture.supplyAsync(
                    () -> new Traffic(there, seed).send(MESSAGES), task -> new Thread(task).start());
            long received = new Traffic(here, ~seed)
                    .receive(MESSAGES, release -> releases.add(CompletableFuture.runAsync(release, workers)));
            releases.forEach(Futures::get);
            assertEquals(Futures.get(sent), received);
        } finally {
            workers.shutdown();
            assertTrue(workers.awaitTermination(Traffic.LIMIT.toSeconds(), TimeUnit.SECONDS));
        }
    }
}

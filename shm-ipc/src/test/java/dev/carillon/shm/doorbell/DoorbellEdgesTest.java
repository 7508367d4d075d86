package dev.carillon.shm.doorbell;

import static dev.carillon.shm.doorbell.Bells.LIMIT;
import static dev.carillon.shm.doorbell.DoorbellEvent.PEER_GONE;
import static dev.carillon.shm.doorbell.DoorbellEvent.RUNG;
import static dev.carillon.shm.doorbell.DoorbellEvent.TIMEOUT;
import static dev.carillon.test.Futures.get;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.ClosedException;
import dev.carillon.loop.EventLoop;
import dev.carillon.sys.call.Sys;
import dev.carillon.sys.layout.Constants;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Half-closed peers, extreme arguments, and callbacks that wait again. */
final class DoorbellEdgesTest {
    private static final int DEEP = 100_000;

    private final DoorbellPair pair = Doorbell.pair();
    private final Doorbell host = pair.host();
    private final Doorbell guest = pair.guest();

    @AfterEach
    void closePair() {
        pair.close();
    }

    private void shutDown(int how) {
        Sys.get().sockets().shutdown(host.fd(), how);
    }

    // r[verify shm.doorbell.death]
    @Test
    void aPeerThatOnlyStopsToWriteIsNotDead() throws Exception {
        host.ring();
        shutDown(Constants.SHUT_WR);
        assertEquals(RUNG, guest.poll());
        assertEquals(TIMEOUT, guest.poll());
        long began = System.nanoTime();
        long processorTime = cpu();
        assertEquals(TIMEOUT, guest.await(Duration.ofMillis(300)));
        long used = cpu() - processorTime;
        assertTrue(used < (System.nanoTime() - began) / 2, "the wait spins");
        assertEquals(RingResult.RUNG, guest.ring());
        assertEquals(RUNG, host.poll());
        host.close();
        assertEquals(PEER_GONE, guest.await(LIMIT));
        assertEquals(PEER_GONE, guest.poll());
    }

    /** What this thread has had of a processor, in nanoseconds: proc(5). */
    private static long cpu() throws IOException {
        return Long.parseLong(
                Files.readString(Path.of("/proc/thread-self/schedstat")).split(" ", -1)[0]);
    }

    // r[verify shm.doorbell.death]
    @Test
    void aLoopIsToldOfTheDeathAfterAHalfClose() {
        try (EventLoop loop = EventLoop.open().start()) {
            AsyncDoorbell async = guest.onLoop(loop);
            CompletableFuture<DoorbellEvent> event = async.awaitEventAsync();
            shutDown(Constants.SHUT_WR);
            CompletableFuture<Boolean> settled = new CompletableFuture<>();
            loop.execute(() -> loop.execute(() -> settled.complete(true)));
            get(settled);
            assertFalse(event.isDone());
            host.close();
            assertEquals(PEER_GONE, get(event));
        }
    }

    // r[verify shm.doorbell.death]
    @Test
    void aPeerThatShutBothDirectionsIsAsGoodAsDead() throws Exception {
        shutDown(Constants.SHUT_RDWR);
        assertEquals(PEER_GONE, guest.await(LIMIT));
        assertEquals(RingResult.PEER_GONE, guest.ring());
    }

    @Test
    void theDescriptorOfAClosedEndIsNotGivenAway() {
        guest.close();
        assertThrows(ClosedException.class, guest::fd);
    }

    // r[verify shm.doorbell.wait]
    @Test
    void extremeDurationsAreTaken() throws Exception {
        assertEquals(TIMEOUT, guest.await(Duration.ofSeconds(Long.MIN_VALUE)));
        assertEquals(TIMEOUT, guest.await(Duration.ofNanos(Long.MIN_VALUE)));
        host.ring();
        assertEquals(RUNG, guest.await(Duration.ofSeconds(Long.MAX_VALUE, 999_999_999)));
        host.ring();
        assertEquals(RUNG, guest.await(Duration.ofNanos(Long.MAX_VALUE)));
    }

    // r[verify shm.doorbell.async]
    @Test
    void callbacksThatWaitAgainGoNoDeeper() {
        host.close();
        try (EventLoop loop = EventLoop.open().start()) {
            AsyncDoorbell async = guest.onLoop(loop);
            CompletableFuture<Integer> deaths = new CompletableFuture<>();
            AtomicInteger told = new AtomicInteger();
            async.awaitEvent(new EventReceiver() {
                @Override
                public boolean tryReceive(DoorbellEvent event) {
                    if (told.incrementAndGet() == DEEP) {
                        deaths.complete(DEEP);
                    } else {
                        async.awaitEvent(this);
                    }
                    return true;
                }

                @Override
                public void refused(RuntimeException why) {
                    deaths.completeExceptionally(why);
                }
            });
            assertEquals(DEEP, get(deaths));
            CompletableFuture<Integer> futures = new CompletableFuture<>();
            loop.execute(() -> again(async, DEEP, futures));
            assertEquals(0, get(futures));
        }
    }

    private static void again(AsyncDoorbell async, int left, CompletableFuture<Integer> done) {
        if (left == 0) {
            done.complete(0);
            return;
        }
        var unused = async.awaitEventAsync().whenComplete((event, failure) -> {
            if (failure == null) {
                again(async, left - 1, done);
            } else {
                done.completeExceptionally(failure);
            }
        });
    }

    // r[verify shm.doorbell.async]
    @Test
    void whoWaitsAgainWhenRefusedGoesNoDeeper() {
        try (EventLoop loop = EventLoop.open().start()) {
            AsyncDoorbell async = guest.onLoop(loop);
            async.close();
            CompletableFuture<Integer> done = new CompletableFuture<>();
            AtomicInteger told = new AtomicInteger();
            async.awaitEvent(new EventReceiver() {
                @Override
                public boolean tryReceive(DoorbellEvent event) {
                    return false;
                }

                @Override
                public void refused(RuntimeException why) {
                    if (told.incrementAndGet() == DEEP) {
                        done.complete(DEEP);
                    } else {
                        async.awaitEvent(this);
                    }
                }
            });
            assertEquals(DEEP, get(done));
        }
    }
}

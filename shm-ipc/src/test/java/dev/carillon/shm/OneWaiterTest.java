package dev.carillon.shm;

import static dev.carillon.shm.BareLink.LARGE;
import static dev.carillon.shm.LinkPair.LONG;
import static dev.carillon.shm.LinkPair.NO_TIME;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.loop.EventLoop;
import dev.carillon.test.Futures;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** One receives and one sends at a time, threads and loop together. */
// r[verify shm.loop]
final class OneWaiterTest {
    private final EventLoop loop = EventLoop.open().start();
    private final BareLink links = new BareLink();
    private final AsyncLink async = links.host.onLoop(loop);

    private final List<Callable<?>> receivers =
            List.of(() -> links.host.receive(LONG), () -> links.host.awaitData(LONG));
    private final List<Callable<?>> senders = List.of(
            () -> links.host.send(LARGE, LONG),
            () -> links.host.awaitClaim(1000, LONG),
            () -> links.host.awaitSpace(1000, LONG),
            () -> links.host.sharedSender().send(LARGE, LONG));
    private final List<Supplier<CompletableFuture<?>>> receives =
            List.of(async::receiveAsync, async::awaitDataAsync, () -> async.onFrames(frame -> {}));
    private final List<Supplier<CompletableFuture<?>>> sends =
            List.of(() -> async.sendAsync(LARGE), () -> async.claimAsync(1000), () -> async.awaitSpaceAsync(1000));

    @AfterEach
    void closeAll() {
        links.close();
        loop.close();
    }

    /** Until the loop watches it looks now and then, and the waiter is not in its place for that moment. */
    @BeforeEach
    void awaitWatch() {
        settle();
        assertTrue(links.host.isPeerWatched());
    }

    /** When the loop has done all that it had to do. */
    private void settle() {
        Futures.get(CompletableFuture.runAsync(() -> {}, loop));
    }

    private void threadsAreRefused(Supplier<CompletableFuture<?>> waits, List<Callable<?>> threads) throws Exception {
        CompletableFuture<?> waiting = waits.get();
        settle();
        for (Callable<?> each : threads) {
            assertInstanceOf(IllegalStateException.class, Waiting.on(each).ended());
        }
        assertFalse(waiting.isDone());
        assertTrue(waiting.cancel(true));
    }

    @Test
    void aThreadThatWouldWaitBesideTheLoopIsRefused() throws Exception {
        for (var each : receives) {
            threadsAreRefused(each, receivers);
        }
        assertEquals(SendResult.SENT, links.host.trySend(LARGE));
        for (var each : sends) {
            threadsAreRefused(each, senders);
        }
    }

    @Test
    void aThreadThatNeedNotWaitIsNotInTheWay() throws Exception {
        CompletableFuture<?> waiting = async.awaitSpaceAsync();
        assertEquals(true, Futures.get(waiting));
        CompletableFuture<?> receiving = async.receiveAsync();
        settle();
        assertNull(links.host.receive(NO_TIME));
        assertEquals(SendResult.SENT, links.host.send(LARGE, LONG));
        assertEquals(SendResult.NO_SLOT, links.host.send(LARGE, NO_TIME));
        assertEquals(SendResult.SENT, links.guest.trySend(LARGE));
        Futures.get(receiving);
    }

    private void loopIsRefused(Callable<?> thread, List<Supplier<CompletableFuture<?>>> waits) throws Exception {
        var waiting = Waiting.on(thread);
        waiting.awaitAsleep();
        for (var each : waits) {
            assertInstanceOf(IllegalStateException.class, Futures.failureOf(each.get()));
        }
        assertFalse(waiting.isOver());
        waiting.interrupt();
        assertInstanceOf(InterruptedException.class, waiting.ended());
    }

    @Test
    void theLoopIsRefusedWhileAThreadWaits() throws Exception {
        for (Callable<?> each : receivers) {
            loopIsRefused(each, receives);
        }
        assertEquals(SendResult.SENT, links.host.trySend(LARGE));
        for (Callable<?> each : senders) {
            loopIsRefused(each, sends);
        }
    }

    @Test
    void theOtherHalfIsWaitedForByAThreadMeanwhile() throws Exception {
        CompletableFuture<?> receiving = async.receiveAsync();
        assertEquals(SendResult.SENT, links.host.trySend(LARGE));
        var sending = Waiting.on(() -> links.host.send(LARGE, LONG));
        sending.awaitAsleep();
        links.guest.poll(frame -> {}, 1);
        assertEquals(SendResult.SENT, sending.result());
        assertFalse(receiving.isDone());
        assertThrows(IllegalStateException.class, () -> links.host.awaitData(LONG));
    }
}

package dev.carillon.shm.doorbell;

import static dev.carillon.shm.doorbell.Bells.LIMIT;
import static dev.carillon.shm.doorbell.DoorbellEvent.PEER_GONE;
import static dev.carillon.shm.doorbell.DoorbellEvent.RUNG;
import static dev.carillon.test.Futures.failureOf;
import static dev.carillon.test.Futures.get;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.ClosedException;
import dev.carillon.loop.EventLoop;
import dev.carillon.test.Deadline;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class AsyncDoorbellTest {
    private final EventLoop loop = EventLoop.open().start();
    private final DoorbellPair pair = Doorbell.pair();
    private final Doorbell host = pair.host();
    private final AsyncDoorbell guest = pair.guest().onLoop(loop);

    @AfterEach
    void closeAll() {
        pair.close();
        loop.close();
    }

    /** What was posted before is done when this returns. */
    private void settle() {
        CompletableFuture<Boolean> done = new CompletableFuture<>();
        loop.execute(() -> loop.execute(() -> done.complete(true)));
        get(done);
    }

    // r[verify shm.doorbell.async]
    @Test
    void whoWaitsIsToldOfARingAndOfTheDeath() {
        CompletableFuture<DoorbellEvent> ring = guest.awaitEventAsync();
        settle();
        assertFalse(ring.isDone());
        host.ring();
        assertEquals(RUNG, get(ring));
        CompletableFuture<DoorbellEvent> death = guest.awaitEventAsync();
        host.close();
        assertEquals(PEER_GONE, get(death));
        assertEquals(PEER_GONE, get(guest.awaitEventAsync()));
        assertEquals(RingResult.PEER_GONE, guest.ring());
    }

    // r[verify shm.doorbell.async] r[verify shm.doorbell.death]
    @Test
    void whatCameBeforeTheWaitIsKeptMergedAndInOrder() {
        for (int i = 0; i < 100; i++) {
            host.ring();
        }
        host.close();
        settle();
        assertEquals(RUNG, get(guest.awaitEventAsync()));
        assertEquals(PEER_GONE, get(guest.awaitEventAsync()));
    }

    @Test
    void oneThatWasWaitedForByAThreadBeforeLeavesNothing() throws Exception {
        assertEquals(DoorbellEvent.TIMEOUT, host.await(Duration.ofMillis(1)));
        AsyncDoorbell moved = host.onLoop(loop);
        guest.ring();
        assertEquals(RUNG, get(moved.awaitEventAsync()));
        moved.close();
        assertEquals(PEER_GONE, get(guest.awaitEventAsync()));
    }

    @Test
    void eitherSideCanRing() throws Exception {
        assertEquals(RingResult.RUNG, guest.ring());
        assertEquals(RUNG, host.await(LIMIT));
    }

    // r[verify shm.doorbell.async]
    @Test
    void aCancelledWaitLosesNoRing() {
        for (int i = 0; i < 3_000; i++) {
            CompletableFuture<DoorbellEvent> cancelled = guest.awaitEventAsync();
            host.ring();
            long until = System.nanoTime() + i * 37L % 40_000;
            while (System.nanoTime() - until < 0) {
                Thread.onSpinWait();
            }
            if (cancelled.cancel(false)) {
                assertEquals(RUNG, get(guest.awaitEventAsync()), "round " + i);
            } else {
                assertEquals(RUNG, get(cancelled));
            }
        }
    }

    // r[verify shm.doorbell.async]
    @Test
    void aWaitThatRanOutOfTimeLosesNoRing() {
        CompletableFuture<DoorbellEvent> late = guest.awaitEventAsync().orTimeout(1, TimeUnit.MILLISECONDS);
        failureOf(late);
        host.ring();
        assertEquals(RUNG, get(guest.awaitEventAsync()));
    }

    // r[verify shm.doorbell.async]
    @Test
    void aReceiverThatDoesNotWantItLeavesItToTheNext() {
        List<DoorbellEvent> offered = new ArrayList<>();
        CompletableFuture<Boolean> refused = new CompletableFuture<>();
        guest.awaitEvent(new EventReceiver() {
            @Override
            public boolean tryReceive(DoorbellEvent event) {
                offered.add(event);
                refused.complete(true);
                return false;
            }

            @Override
            public void refused(RuntimeException why) {
                refused.completeExceptionally(why);
            }
        });
        host.ring();
        get(refused);
        assertEquals(RUNG, get(guest.awaitEventAsync()));
        assertEquals(List.of(RUNG), offered);
        guest.giveBack(RUNG);
        assertEquals(RUNG, get(guest.awaitEventAsync()));
    }

    // r[verify shm.doorbell.single-reader]
    @Test
    void aSecondReaderIsAnError() {
        CompletableFuture<DoorbellEvent> first = guest.awaitEventAsync();
        assertTrue(failureOf(guest.awaitEventAsync()) instanceof IllegalStateException);
        assertThrows(IllegalStateException.class, () -> pair.guest().poll());
        assertThrows(IllegalStateException.class, () -> pair.guest().onLoop(loop));
        host.ring();
        assertEquals(RUNG, get(first));
    }

    @Test
    void closingTellsWhoWaitsAndThePeer() {
        CompletableFuture<DoorbellEvent> waiting = guest.awaitEventAsync();
        guest.close();
        assertTrue(failureOf(waiting) instanceof ClosedException);
        assertTrue(failureOf(guest.awaitEventAsync()) instanceof ClosedException);
        Deadline.after(LIMIT).await("the peer is told", () -> host.poll() == PEER_GONE);
        assertThrows(ClosedException.class, guest::ring);
        assertFalse(pair.guest().isOpen());
    }

    @Test
    void closingTheDoorbellClosesItsReaderToo() {
        CompletableFuture<DoorbellEvent> waiting = guest.awaitEventAsync();
        pair.guest().close();
        assertTrue(failureOf(waiting) instanceof ClosedException);
    }

    @Test
    void theEndOfTheLoopClosesIt() {
        CompletableFuture<DoorbellEvent> waiting = guest.awaitEventAsync();
        settle();
        loop.close();
        assertTrue(failureOf(waiting) instanceof ClosedException);
        assertEquals(PEER_GONE, host.poll());
    }

    // r[verify io.closed-loop] r[verify shm.doorbell.loop-refuses]
    @Test
    void aLoopThatStopsOrHasEndedTakesNoDoorbellAndLeavesItAsItWas() {
        try (DoorbellPair other = Doorbell.pair()) {
            EventLoop refusing = EventLoop.open();
            refusing.requestStop();
            for (String what : List.of("stopping", "has ended")) {
                RejectedExecutionException refusal = assertThrows(
                        RejectedExecutionException.class, () -> other.host().onLoop(refusing));
                assertTrue(String.valueOf(refusal.getMessage()).contains(what), refusal::toString);
                refusing.close();
                other.guest().ring();
                assertEquals(RUNG, other.host().poll());
            }
            AsyncDoorbell taken = other.host().onLoop(loop);
            other.guest().ring();
            assertEquals(RUNG, get(taken.awaitEventAsync()));
        }
    }

    // r[verify shm.doorbell.async]
    @Test
    void aPeerThatFloodsTheBellDoesNotHoldUpTheLoop() throws Exception {
        AtomicBoolean stop = new AtomicBoolean();
        Thread flood = new Thread(() -> {
            while (!stop.get()) {
                host.ring();
            }
        });
        flood.setDaemon(true);
        flood.start();
        AtomicLong events = new AtomicLong();
        guest.awaitEvent(new EventReceiver() {
            @Override
            public boolean tryReceive(DoorbellEvent event) {
                events.incrementAndGet();
                guest.awaitEvent(this);
                return true;
            }

            @Override
            public void refused(RuntimeException why) {
                events.addAndGet(1_000_000_000);
            }
        });
        Deadline.after(LIMIT).await("events come", () -> events.get() > 100);
        for (int i = 0; i < 50; i++) {
            settle(); // which fails where the flood keeps the loop from its tasks
        }
        stop.set(true);
        flood.join(LIMIT.toMillis());
        assertTrue(events.get() < 1_000_000_000, "it was refused");
    }
}

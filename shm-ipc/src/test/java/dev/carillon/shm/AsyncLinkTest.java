package dev.carillon.shm;

import static dev.carillon.shm.LinkPair.text;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.ClosedException;
import dev.carillon.loop.EventLoop;
import dev.carillon.test.Deadline;
import dev.carillon.test.Futures;
import dev.carillon.test.Seeded;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A link that is waited for on a loop; what ends its waits is in LinkTransitionsTest. */
// r[verify shm.loop]
final class AsyncLinkTest {
    private static final int RACES = Boolean.getBoolean("carillon.stress") ? 500_000 : 3_000;

    private final EventLoop loop = EventLoop.open().start();
    private final BareLink links = new BareLink();
    private final AsyncLink async = links.host.onLoop(loop);

    @AfterEach
    void closeAll() {
        links.close();
        loop.close();
    }

    private static long id(@Nullable Frame frame) {
        return frame == null ? -1 : frame.id();
    }

    private static Frame frame(long id) {
        return Frame.of(1, id, LinkPair.bytes(0, 0));
    }

    @Test
    void eachCancelledReceiveLeavesItsFrameToTheNextOne(@Seeded SplittableRandom random) {
        int sent = 0;
        int received = 0;
        int cancelled = 0;
        for (int i = 0; i < RACES; i++) {
            CompletableFuture<@Nullable Frame> receiving = async.receiveAsync();
            if (links.guest.trySend(frame(sent)) == SendResult.SENT) {
                sent++;
            }
            long end = System.nanoTime() + random.nextInt(20_000);
            while (System.nanoTime() < end) {
                Thread.onSpinWait();
            }
            if (receiving.cancel(true)) {
                cancelled++;
            } else {
                assertEquals(received++, id(Futures.get(receiving)));
            }
        }
        while (received < sent) {
            assertEquals(received++, id(Futures.get(async.receiveAsync())));
        }
        int all = cancelled;
        assertTrue(all > 0 && all < RACES, () -> "no races: " + all);
    }

    @Test
    void aStageThatRunsOutOfTimeTakesNothing() {
        Throwable late = Futures.failureOf(async.receiveAsync().orTimeout(1, TimeUnit.MILLISECONDS));
        assertInstanceOf(TimeoutException.class, late);
        links.guest.trySend(frame(5));
        assertEquals(5, id(Futures.get(async.receiveAsync())));
    }

    @Test
    void aCancelledWaitLeavesItsPlaceToTheNextOne() {
        assertTrue(async.receiveAsync().cancel(true));
        CompletableFuture<@Nullable Frame> next = async.receiveAsync();
        assertFalse(next.isDone());
        links.guest.trySend(frame(5));
        assertEquals(5, id(Futures.get(next)));
    }

    @Test
    void aSecondReceiverIsRefusedAndTheFirstOneGoesOn() {
        CompletableFuture<@Nullable Frame> first = async.receiveAsync();
        assertInstanceOf(IllegalStateException.class, Futures.failureOf(async.receiveAsync()));
        assertInstanceOf(IllegalStateException.class, Futures.failureOf(async.onFrames(frame -> {})));
        links.guest.trySend(frame(5));
        assertEquals(5, id(Futures.get(first)));
    }

    @Test
    void aHandlerGetsAllFramesInOrderAndLearnsOfTheGoodbye() throws Exception {
        List<Long> seen = new ArrayList<>();
        CompletableFuture<@Nullable Void> all = async.onFrames(frame -> {
            assertTrue(loop.inLoop());
            seen.add(frame.id());
        });
        for (int i = 0; i < 1_000; i++) {
            assertEquals(SendResult.SENT, links.guest.send(frame(i), LinkPair.LONG));
        }
        links.guest.close();
        assertNull(Futures.get(all));
        assertEquals(1_000, seen.size());
        assertEquals(999, seen.get(999));
    }

    /** The handler has the next frame sent each time, so that there is always one. */
    @Test
    void aHandlerThatAlwaysHasFramesLetsTheLoopDoOtherWork() {
        links.guest.trySend(frame(0));
        CompletableFuture<@Nullable Void> all = async.onFrames(frame -> links.guest.trySend(frame(frame.id() + 1)));
        for (int i = 0; i < 100; i++) {
            CompletableFuture<Boolean> turn = new CompletableFuture<>();
            loop.execute(() -> turn.complete(true));
            assertTrue(Futures.get(turn));
        }
        assertTrue(all.cancel(true));
    }

    /** Each stage is done at once, and its callback begins the next one. */
    @Test
    void stagesThatAlwaysFindTheirFrameLeaveTheLoopItsOtherWorkAndItsStack() {
        links.guest.trySend(frame(0));
        AtomicBoolean stops = new AtomicBoolean();
        CompletableFuture<Long> last = new CompletableFuture<>();
        loop.execute(() -> receiveAndSend(stops, last));
        for (int i = 0; i < 100; i++) {
            CompletableFuture<Boolean> turn = new CompletableFuture<>();
            loop.execute(() -> turn.complete(true));
            assertTrue(Futures.get(turn));
        }
        stops.set(true);
        assertTrue(Futures.get(last) > 0);
    }

    private void receiveAndSend(AtomicBoolean stops, CompletableFuture<Long> last) {
        var unused = async.receiveAsync().whenComplete((frame, why) -> {
            if (why != null || frame == null) {
                last.completeExceptionally(why != null ? why : new IllegalStateException("no frame"));
            } else if (stops.get()) {
                last.complete(frame.id());
            } else {
                links.guest.trySend(frame(frame.id() + 1));
                receiveAndSend(stops, last);
            }
        });
    }

    @Test
    void aHandlerThatThrowsEndsItsStageAndLosesOneFrameOnly() {
        links.guest.trySend(frame(0));
        links.guest.trySend(frame(1));
        IllegalArgumentException thrown = new IllegalArgumentException("not mine");
        CompletableFuture<@Nullable Void> all = async.onFrames(frame -> {
            throw thrown;
        });
        assertEquals(thrown, Futures.failureOf(all));
        assertEquals(1, id(Futures.get(async.receiveAsync())));
    }

    @Test
    void dataAndSpaceAreAwaitedWithoutTakingAny() {
        CompletableFuture<Boolean> data = async.awaitDataAsync();
        assertFalse(data.isDone());
        links.guest.trySend(frame(5));
        assertTrue(Futures.get(data));
        assertTrue(async.hasFrame());
        BareLink.fill(links.guest);
        while (links.host.trySend(text("x")) == SendResult.SENT) {
            assertTrue(links.host.isOpen());
        }
        CompletableFuture<Boolean> space = async.awaitSpaceAsync();
        assertFalse(space.isDone());
        assertEquals(1, links.guest.poll(frame -> {}, 1));
        assertTrue(Futures.get(space));
    }

    // r[verify shm.claim]
    @Test
    void aClaimWaitsForASlotAndACancelledOneHasNone() {
        assertEquals(SendResult.SENT, links.host.trySend(BareLink.LARGE));
        CompletableFuture<@Nullable SlotWriter> cancelled = async.claimAsync(1000);
        assertTrue(cancelled.cancel(true));
        CompletableFuture<@Nullable SlotWriter> claiming = async.claimAsync(1000);
        assertFalse(claiming.isDone());
        assertEquals(1, links.guest.poll(frame -> {}, 1));
        try (SlotWriter claim = Objects.requireNonNull(Futures.get(claiming))) {
            assertEquals(SendResult.SENT, claim.commit(1, 0, 9));
        }
        long[] seen = new long[1];
        assertEquals(1, links.guest.poll(frame -> seen[0] = frame.id(), 1));
        assertEquals(9, seen[0]);
        assertNull(Futures.get(async.claimAsync(5000)));
        assertEquals(SendResult.TOO_LARGE, async.claimRefusal());
    }

    @Test
    void aCloseEndsTheFaceAndLeavesTheLink() throws Exception {
        CompletableFuture<@Nullable Frame> waiting = async.receiveAsync();
        async.close();
        assertInstanceOf(ClosedException.class, Futures.failureOf(waiting));
        assertInstanceOf(ClosedException.class, Futures.failureOf(async.receiveAsync()));
        links.guest.trySend(frame(5));
        assertEquals(5, id(links.host.receive(LinkPair.LONG)));
        AsyncLink other = links.host.onLoop(loop);
        links.guest.trySend(frame(6));
        assertEquals(6, id(Futures.get(other.receiveAsync())));
    }

    @Test
    void aLinkLivesOnOneLoopAtATime() {
        assertThrows(IllegalStateException.class, () -> links.host.onLoop(loop));
    }

    @Test
    void aWaitForAStageOnItsOwnLoopIsRefused() {
        CompletableFuture<@Nullable Frame> waiting = async.receiveAsync();
        CompletableFuture<Throwable> refused = new CompletableFuture<>();
        loop.execute(() -> refused.complete(assertThrows(IllegalStateException.class, waiting::join)));
        assertTrue(Futures.get(refused).toString().contains("would never end"));
        assertTrue(waiting.cancel(true));
        Deadline.after(LinkPair.LIMIT).await("it is cancelled", waiting::isCancelled);
    }
}

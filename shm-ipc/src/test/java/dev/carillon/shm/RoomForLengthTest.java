package dev.carillon.shm;

import static dev.carillon.shm.BareLink.LARGE;
import static dev.carillon.shm.LinkPair.LIMIT;
import static dev.carillon.shm.LinkPair.NO_TIME;
import static dev.carillon.shm.LinkPair.text;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.loop.EventLoop;
import dev.carillon.test.Futures;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** A wait for room for a frame of some length lasts until that frame can be sent. */
final class RoomForLengthTest {
    private static final Duration LONG = LIMIT.multipliedBy(20);

    // r[verify shm.wakeup.slot-wait]
    @Test
    void aThreadThatWaitsForRoomForALongFrameCanSendItThen() throws Exception {
        try (BareLink links = new BareLink()) {
            assertEquals(SendResult.SENT, links.guest.trySend(LARGE));
            assertTrue(links.guest.awaitSpace(NO_TIME), "the ring has room");
            assertFalse(links.guest.awaitSpace(LARGE.length(), NO_TIME), "the only slot of that size is taken");
            Waiting<SendResult> waiting = Waiting.on(() -> {
                assertTrue(links.guest.awaitSpace(LARGE.length(), LONG));
                return links.guest.trySend(LARGE);
            });
            waiting.awaitAsleep();
            assertEquals(1, links.host.poll(frame -> {}, 1));
            assertEquals(SendResult.SENT, waiting.result());
        }
    }

    // r[verify shm.wakeup.producer-wait]
    @Test
    void itWaitsForAnEntryOfTheRingToo() throws Exception {
        try (BareLink links = new BareLink()) {
            BareLink.fill(links.guest);
            assertFalse(links.guest.awaitSpace(LARGE.length(), NO_TIME));
            Waiting<Boolean> waiting = Waiting.on(() -> links.guest.awaitSpace(LARGE.length(), LONG));
            waiting.awaitAsleep();
            assertEquals(1, links.host.poll(frame -> {}, 1));
            assertTrue(waiting.result());
        }
    }

    @Test
    void aLoopThatWaitsForRoomForALongFrameCanSendItThen() {
        try (EventLoop loop = EventLoop.open().start();
                BareLink links = new BareLink()) {
            AsyncLink async = links.guest.onLoop(loop);
            assertEquals(SendResult.SENT, async.trySend(LARGE));
            assertTrue(async.hasSpace());
            assertFalse(async.hasSpace(LARGE.length()));
            CompletableFuture<SendResult> sending =
                    async.awaitSpaceAsync(LARGE.length()).thenApply(room -> async.trySend(LARGE));
            assertFalse(sending.isDone());
            assertEquals(1, links.host.poll(frame -> {}, 1));
            assertEquals(SendResult.SENT, Futures.get(sending));
        }
    }

    @Test
    void aGoodbyeEndsItAndALengthThatNoFrameHasIsRefused() throws Exception {
        try (BareLink links = new BareLink()) {
            assertEquals(SendResult.SENT, links.guest.trySend(LARGE));
            int tooMuch = links.guest.maxLength() + 1;
            assertThrows(IllegalArgumentException.class, () -> links.guest.awaitSpace(tooMuch, NO_TIME));
            assertThrows(IllegalArgumentException.class, () -> links.guest.awaitSpace(-1, NO_TIME));
            Waiting<Boolean> waiting = Waiting.on(() -> links.guest.awaitSpace(LARGE.length(), LONG));
            waiting.awaitAsleep();
            links.host.close();
            assertFalse(waiting.result());
            assertEquals(SendResult.PEER_GONE, links.guest.trySend(text("x")));
        }
    }
}

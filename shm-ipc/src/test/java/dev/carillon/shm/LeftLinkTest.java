package dev.carillon.shm;

import static dev.carillon.shm.LinkPair.LONG;
import static dev.carillon.shm.LinkPair.bytes;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.ClosedException;
import dev.carillon.loop.EventLoop;
import dev.carillon.test.Futures;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What calls say of a channel whose link carries nothing any more, and of a face that was closed. */
final class LeftLinkTest {
    private static final Frame FRAME = Frame.of(1, 1, bytes(200, 1));

    private final EventLoop loop = EventLoop.open().start();
    private final LinkPair links = new LinkPair(LinkConfig.defaults());

    @AfterEach
    void closeAll() {
        links.close();
        loop.close();
    }

    private ShmChannel accepted() throws InterruptedException {
        ShmChannel accepted = links.guest.acceptChannel(LONG);
        assertNotNull(accepted);
        return accepted;
    }

    // r[verify shm.wait.all-transitions]
    @Test
    void aWaitForCreditSaysThatThePeerIsGoneAlsoWhereThereIsSome() throws Exception {
        ShmChannel channel = links.host.openChannel();
        ShmChannel others = accepted();
        assertEquals(CreditResult.GRANTED, channel.awaitCredit(1, LONG));
        links.guest.close();
        assertEquals(SendResult.PEER_GONE, channel.trySend(FRAME));
        assertEquals(CreditResult.PEER_GONE, channel.awaitCredit(1, LONG));
        AsyncChannel late = links.host.onLoop(loop).openChannel();
        assertEquals(CreditResult.PEER_GONE, late.creditNow(0));
        assertEquals(CreditResult.PEER_GONE, Futures.get(late.awaitCreditAsync(0)));
        assertThrows(ClosedException.class, () -> others.awaitCredit(1, LONG));
    }

    // r[verify shm.wait.all-transitions]
    @Test
    void aChannelHasEndedWhenThePeerIsGoneAndAllWasReceived() throws Exception {
        ShmChannel channel = links.host.openChannel();
        ShmChannel others = accepted();
        for (int i = 0; i < 3; i++) {
            assertEquals(SendResult.SENT, others.trySend(FRAME));
        }
        assertFalse(channel.hasEnded());
        links.guest.close();
        for (int i = 0; i < 3; i++) {
            assertFalse(channel.hasEnded());
            assertNotNull(channel.receive(LONG));
        }
        assertTrue(channel.hasEnded());
        assertNull(channel.receive(LONG));
        links.host.close();
        assertTrue(channel.hasEnded());
        assertTrue(others.hasEnded());
    }

    @Test
    void aHandlerMayAskWhetherItsChannelHasEnded() throws Exception {
        ShmChannel channel = links.host.openChannel();
        ShmChannel others = accepted();
        assertEquals(SendResult.SENT, others.trySend(FRAME));
        assertEquals(SendResult.SENT, others.trySend(FRAME));
        links.guest.close();
        assertEquals(1, channel.poll(frame -> assertFalse(channel.hasEnded()), 1));
        assertEquals(1, links.host.poll(frame -> assertFalse(channel.hasEnded()), 1));
        assertTrue(channel.hasEnded());
    }

    @Test
    void lessThanNoCreditIsRefusedWithWhatIsAllowed() {
        ShmChannel channel = links.host.openChannel();
        IllegalArgumentException refused =
                assertThrows(IllegalArgumentException.class, () -> channel.awaitCredit(-1, LONG));
        assertEquals("bytes=-1: 0 or more", refused.getMessage());
    }

    @Test
    void aClosedFaceSendsAndReceivesNothing() {
        AsyncLink async = links.host.onLoop(loop);
        AsyncChannel channel = async.openChannel();
        async.close();
        assertThrows(ClosedException.class, () -> async.trySend(FRAME));
        assertThrows(ClosedException.class, () -> async.tryClaim(8));
        assertThrows(ClosedException.class, async::tryReceive);
        assertThrows(ClosedException.class, () -> channel.trySend(FRAME));
        assertThrows(ClosedException.class, channel::tryReceive);
        assertInstanceOf(ClosedException.class, Futures.failureOf(async.sendAsync(FRAME)));
        assertInstanceOf(ClosedException.class, Futures.failureOf(async.claimAsync(8)));
        assertInstanceOf(ClosedException.class, Futures.failureOf(async.receiveAsync()));
        assertEquals(SendResult.SENT, links.host.trySend(FRAME));
    }
}

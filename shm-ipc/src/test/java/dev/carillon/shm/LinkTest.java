package dev.carillon.shm;

import static dev.carillon.shm.LinkPair.LONG;
import static dev.carillon.shm.LinkPair.NO_TIME;
import static dev.carillon.shm.LinkPair.bytes;
import static dev.carillon.shm.LinkPair.text;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import dev.carillon.ClosedException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A link whose two ends are in this process. */
final class LinkTest {
    static final LinkConfig SMALL = LinkConfig.builder()
            .ring(4)
            .inlineBytes(96)
            .slots(256, 2)
            .slots(1024, 1)
            .build();

    private final LinkPair pair = new LinkPair(SMALL);

    @AfterEach
    void closePair() {
        pair.close();
    }

    static Frame receive(ShmLink link) throws InterruptedException {
        return Objects.requireNonNull(link.receive(LONG), "no frame came");
    }

    // r[verify shm.slot.classes]
    @Test
    void aFrameThatIsLongerThanTheLargestSlotIsRefusedAndTakesNothing() throws Exception {
        for (int i = 0; i < 10; i++) {
            assertEquals(SendResult.TOO_LARGE, pair.host.trySend(Frame.of(1, 0, bytes(1025, 0))));
        }
        assertEquals(SendResult.SENT, pair.host.trySend(Frame.of(1, 0, bytes(1024, 0))));
        assertEquals(1024, receive(pair.guest).length());
    }

    // r[verify shm.ring.capacity] r[verify shm.backpressure]
    @Test
    void aRingOfFourTakesThreeFramesAndThenSaysThatItIsFull() throws Exception {
        for (String each : List.of("a", "b", "c")) {
            assertEquals(SendResult.SENT, pair.host.trySend(text(each)));
        }
        assertEquals(SendResult.RING_FULL, pair.host.trySend(text("d")));
        assertEquals(SendResult.RING_FULL, pair.host.send(text("d"), NO_TIME));
        assertEquals("a", text(receive(pair.guest)));
        assertEquals(SendResult.SENT, pair.host.trySend(text("d")));
        assertEquals(SendResult.RING_FULL, pair.host.trySend(text("e")));
        for (String each : List.of("b", "c", "d")) {
            assertEquals(each, text(receive(pair.guest)));
        }
        assertNull(pair.guest.receive(NO_TIME));
    }

    // r[verify shm.backpressure]
    @Test
    void aPoolWithoutASlotSaysSoAndTakesTheFrameLater() throws Exception {
        Frame large = Frame.of(1, 0, bytes(1000, 3));
        assertEquals(SendResult.SENT, pair.host.trySend(large));
        assertEquals(SendResult.NO_SLOT, pair.host.trySend(large));
        assertEquals(SendResult.NO_SLOT, pair.host.send(large, NO_TIME));
        assertEquals(SendResult.SENT, pair.host.trySend(Frame.of(1, 0, bytes(100, 3))), "a smaller one has its own");
        assertEquals(1000, receive(pair.guest).length());
        assertEquals(SendResult.SENT, pair.host.trySend(large));
        assertEquals(100, receive(pair.guest).length());
        assertEquals(large.payload(), receive(pair.guest).payload());
    }

    // r[verify shm.wakeup.producer-wait]
    @Test
    void aSenderSleepsUntilThereIsRoomInTheRing() throws Exception {
        for (int i = 0; i < 3; i++) {
            pair.host.trySend(text("x"));
        }
        Waiting<SendResult> sending = Waiting.on(() -> pair.host.send(text("last"), LONG));
        sending.awaitAsleep();
        receive(pair.guest);
        assertEquals(SendResult.SENT, sending.result());
    }

    // r[verify shm.wakeup.slot-wait]
    @Test
    void aSenderSleepsUntilASlotIsFree() throws Exception {
        Frame large = Frame.of(1, 0, bytes(1000, 3));
        pair.host.trySend(large);
        Waiting<SendResult> sending = Waiting.on(() -> pair.host.send(large, LONG));
        sending.awaitAsleep();
        receive(pair.guest);
        assertEquals(SendResult.SENT, sending.result());
    }

    // r[verify shm.wakeup.consumer-wait]
    @Test
    void aReceiverSleepsUntilAFrameIsThere() throws Exception {
        Waiting<Frame> receiving = Waiting.on(() -> receive(pair.guest));
        receiving.awaitAsleep();
        pair.host.trySend(text("late"));
        assertEquals("late", text(receiving.result()));
    }

    // r[verify shm.detach]
    @Test
    void whatWasSentBeforeAGoodbyeIsReceivedAndThenThePeerIsGone() throws Exception {
        for (String each : List.of("a", "b", "c")) {
            pair.guest.trySend(text(each));
        }
        pair.guest.close();
        assertEquals(PeerState.GONE, pair.host.peerState());
        assertEquals(SendResult.PEER_GONE, pair.host.trySend(text("answer")));
        for (String each : List.of("a", "b", "c")) {
            assertEquals(each, text(receive(pair.host)));
        }
        assertNull(pair.host.receive(LONG));
        assertEquals(SendResult.PEER_GONE, pair.host.send(text("answer"), LONG));
        assertFalse(pair.host.awaitSpace(LONG));
    }

    @Test
    void aGoodbyeEndsEachWaitOfTheOtherSide() throws Exception {
        for (ShmLink leaving : List.of(pair.host, pair.guest)) {
            try (LinkPair own = new LinkPair(SMALL)) {
                ShmLink stays = leaving == pair.host ? own.guest : own.host;
                for (int i = 0; i < 3; i++) {
                    stays.trySend(text("x"));
                }
                Waiting<Frame> receiving = Waiting.on(() -> stays.receive(LONG));
                Waiting<SendResult> sending = Waiting.on(() -> stays.send(text("more"), LONG));
                receiving.awaitAsleep();
                sending.awaitAsleep();
                (leaving == pair.host ? own.host : own.guest).close();
                assertNull(receiving.result());
                assertEquals(SendResult.PEER_GONE, sending.result());
            }
        }
    }

    @Test
    void aCloseEndsTheWaitsOfItsOwnSide() throws Exception {
        Waiting<Frame> receiving = Waiting.on(() -> pair.host.receive(LONG));
        receiving.awaitAsleep();
        pair.host.close();
        assertTrue(receiving.ended() instanceof ClosedException || receiving.resultIfAny() == null);
        assertThrows(ClosedException.class, () -> pair.host.poll(frame -> {}, 1));
        assertThrows(ClosedException.class, () -> pair.host.trySend(text("x")));
        pair.host.close();
    }

    @Test
    void aHandlerThatThrowsConsumesItsFrameAndNoOther() throws Exception {
        pair.guest.trySend(text("a"));
        pair.guest.trySend(Frame.of(1, 0, bytes(1000, 1)));
        pair.guest.trySend(text("c"));
        List<Integer> seen = new ArrayList<>();
        FrameHandler picky = frame -> {
            seen.add(frame.length());
            if (frame.length() > 100) {
                throw new IllegalStateException("not mine");
            }
        };
        assertThrows(IllegalStateException.class, () -> pair.host.poll(picky, 10));
        assertEquals(1, pair.host.poll(picky, 10));
        assertEquals(List.of(1, 1000, 1), seen);
        assertEquals(SendResult.SENT, pair.guest.trySend(Frame.of(1, 0, bytes(1000, 1))), "its slot came back");
    }

    /** A link's memory holds much more: nobody gets at that by a payload, be it in an entry or in a slot. */
    @Test
    void thePayloadOfAFrameIsItsBytesAndNoOthers() throws Exception {
        for (int length : new int[] {0, 8, 500}) {
            assertEquals(SendResult.SENT, pair.guest.trySend(Frame.of(1, 0, bytes(length, 3))));
            List<ByteBuffer> payloads = new ArrayList<>();
            pair.host.poll(
                    frame -> payloads.addAll(
                            List.of(frame.payload(), frame.retain().payload())),
                    1);
            for (ByteBuffer payload : payloads) {
                assertEquals(0, payload.position());
                assertEquals(length, payload.capacity());
            }
            assertEquals(bytes(length, 3), payloads.get(1));
        }
    }

    @Test
    void aHandlerCannotPollButSend() throws Exception {
        pair.guest.trySend(text("question"));
        assertEquals(
                1,
                pair.host.poll(
                        frame -> {
                            assertThrows(IllegalStateException.class, () -> pair.host.poll(other -> {}, 1));
                            pair.host.trySend(text("answer"));
                        },
                        1));
        assertEquals("answer", text(receive(pair.guest)));
    }

    @Test
    void aHandlerMayCloseTheLink() {
        pair.guest.trySend(Frame.of(1, 0, bytes(1000, 1)));
        pair.guest.trySend(text("b"));
        assertEquals(1, pair.host.poll(frame -> pair.host.close(), 10));
        assertFalse(pair.host.isOpen());
        assertEquals(PeerState.GONE, pair.guest.peerState());
    }

    @Test
    void aLinkHasOneGuest() {
        IllegalStateException second = assertThrows(IllegalStateException.class, () -> LinkPair.attach(pair.ticket));
        assertTrue(second.toString().contains("a ticket is for one guest"), second::toString);
        assertEquals(SendResult.SENT, pair.host.trySend(text("the first one is well")));
    }

    @Test
    void typesOfControlFramesAreRefused() {
        assertThrows(IllegalArgumentException.class, () -> Frame.of(0xFF00, 0, ByteBuffer.allocate(0)));
        assertThrows(IllegalArgumentException.class, () -> Frame.of(-1, 0, ByteBuffer.allocate(0)));
        assertEquals(SendResult.SENT, pair.host.trySend(Frame.of(0xFEFF, 0, ByteBuffer.allocate(0))));
    }

    @Test
    void aPollOfNoneHandsOutNoneAndOneOfFewerIsRefused() throws Exception {
        pair.guest.trySend(text("a"));
        FrameHandler nobody = frame -> fail("it was handed out");
        assertEquals(0, pair.host.poll(nobody, 0));
        assertThrows(IllegalArgumentException.class, () -> pair.host.poll(nobody, -1));
        assertEquals("a", text(receive(pair.host)));
    }

    @Test
    void theStatisticsCountBothWays() throws Exception {
        pair.host.trySend(text("four"));
        pair.host.trySend(Frame.of(1, 0, bytes(1000, 1)));
        pair.guest.trySend(text("x"));
        receive(pair.guest);
        receive(pair.guest);
        receive(pair.host);
        assertEquals(new LinkStats(2, 1004, 1, 1), pair.host.stats());
        assertEquals(new LinkStats(1, 1, 2, 1004), pair.guest.stats());
    }
}

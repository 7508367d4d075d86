package dev.carillon.shm;

import static dev.carillon.shm.LinkPair.LIMIT;
import static dev.carillon.shm.LinkPair.LONG;
import static dev.carillon.shm.LinkPair.NO_TIME;
import static dev.carillon.shm.LinkPair.bytes;
import static dev.carillon.shm.LinkPair.text;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.test.Deadline;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Channels of a link whose two ends are in this process. */
final class ChannelTest {
    static final LinkConfig CONFIG = LinkConfig.builder()
            .ring(64)
            .slots(1024, 16)
            .channels(16)
            .window(1000)
            .build();

    /** For waits of which a test sees whether they are ended: by their own deadline they would be, too late for it. */
    private static final Duration LONGER = LIMIT.multipliedBy(2);

    private final LinkPair pair = new LinkPair(CONFIG);
    private final ShmChannel ours = pair.host.openChannel();

    @AfterEach
    void closePair() {
        pair.close();
    }

    private ShmChannel accepted() throws InterruptedException {
        return accepted(pair.guest);
    }

    static ShmChannel accepted(ShmLink by) throws InterruptedException {
        return Objects.requireNonNull(by.acceptChannel(LONG), "no channel came");
    }

    static Frame received(ShmChannel channel) throws InterruptedException {
        return Objects.requireNonNull(channel.receive(LONG), "no frame came");
    }

    static Frame frame(int id, int length) {
        return Frame.of(1, id, bytes(length, id));
    }

    @Test
    void framesGoBothWaysOnAChannelAndSayWhichItIs() throws Exception {
        assertEquals(ChannelState.OPENING, ours.state());
        assertEquals(SendResult.NO_CREDIT, ours.trySend(text("too early")));
        ShmChannel theirs = accepted();
        assertEquals(ours.id(), theirs.id());
        assertEquals(SendResult.SENT, ours.trySend(text("question")));
        Frame question = received(theirs);
        assertEquals("question", text(question));
        assertEquals(ours.id(), question.channel());
        assertEquals(SendResult.SENT, theirs.send(text("answer"), LONG));
        assertEquals("answer", text(received(ours)));
        assertEquals(ChannelState.OPEN, ours.state());
        assertEquals(ChannelState.OPEN, theirs.state());
    }

    @Test
    void aPollOfTheLinkHandsOutTheFramesOfAllChannels() throws Exception {
        ShmChannel first = accepted();
        ShmChannel second = pair.guest.openChannel();
        assertNull(pair.guest.acceptChannel(NO_TIME));
        assertNotNull(pair.host.acceptChannel(NO_TIME));
        first.trySend(text("a"));
        pair.guest.trySend(text("b"));
        second.trySend(text("c"));
        List<String> seen = new ArrayList<>();
        assertTrue(pair.host.awaitData(LONG));
        assertEquals(3, pair.host.poll(frame -> seen.add(text(frame) + frame.channel()), 10));
        assertEquals(List.of("a" + first.id(), "b0", "c" + second.id()), seen);
        assertEquals(1000, first.credit(), "all is granted anew");
        assertNull(pair.host.receive(NO_TIME));
    }

    // r[verify shm.credit]
    @Test
    void whoHasNoCreditIsToldSoAndHasItAgainWhenTheFramesWereReceived() throws Exception {
        ShmChannel theirs = accepted();
        for (int i = 0; i < 10; i++) {
            assertEquals(SendResult.SENT, ours.trySend(frame(i, 68)), "each costs 100");
        }
        assertEquals(0, ours.credit());
        assertEquals(SendResult.NO_CREDIT, ours.trySend(frame(10, 0)));
        assertEquals(SendResult.NO_CREDIT, ours.send(frame(10, 0), NO_TIME));
        assertEquals(CreditResult.TIMED_OUT, ours.awaitCredit(1, NO_TIME));
        for (int i = 0; i < 10; i++) {
            assertEquals(i, received(theirs).id());
        }
        assertEquals(1000, ours.credit());
        assertEquals(CreditResult.GRANTED, ours.awaitCredit(1000, NO_TIME));
        assertThrows(IllegalArgumentException.class, () -> ours.awaitCredit(1001, NO_TIME));
    }

    // r[verify shm.credit]
    @Test
    void aMessageThatCostsMoreThanTheWindowIsRefusedAtOnceAndOneThatCostsAllOfItGoes() throws Exception {
        ShmChannel theirs = accepted();
        assertEquals(SendResult.TOO_LARGE, ours.send(frame(1, 969), LONG));
        for (int i = 0; i < 5; i++) {
            assertEquals(SendResult.SENT, ours.send(frame(i, 368), LONG));
            assertEquals(368, received(theirs).length());
            assertEquals(SendResult.SENT, ours.send(frame(i, 968), LONG), "also where less than half was used");
            assertEquals(frame(i, 968).payload(), received(theirs).payload());
        }
    }

    // r[verify shm.wakeup.credit-wait]
    @Test
    void aSenderWithoutCreditSleepsUntilFramesAreReceived() throws Exception {
        ShmChannel theirs = accepted();
        ours.trySend(frame(1, 900));
        Waiting<SendResult> sending = Waiting.on(() -> ours.send(frame(2, 900), LONGER));
        sending.awaitAsleep();
        assertEquals(1, received(theirs).id());
        assertEquals(SendResult.SENT, sending.result());
        Waiting<CreditResult> waiting = Waiting.on(() -> ours.awaitCredit(1000, LONGER));
        waiting.awaitAsleep();
        assertEquals(1, pair.guest.poll(frame -> {}, 1), "whoever receives, it is granted");
        assertEquals(CreditResult.GRANTED, waiting.result());
    }

    // r[verify shm.wakeup.credit-wait]
    @Test
    void aSenderSleepsUntilItsChannelIsAcceptedAlthoughNobodyReceivesOnItsSide() throws Exception {
        // What a first wait has to load and to try is done when the next one sleeps.
        assertEquals(CreditResult.TIMED_OUT, ours.awaitCredit(1, Duration.ofMillis(1)));
        Waiting<SendResult> sending = Waiting.on(() -> ours.send(text("first"), LONGER));
        sending.awaitAsleep();
        ShmChannel theirs = accepted();
        assertEquals(SendResult.SENT, sending.result());
        assertEquals("first", text(received(theirs)));
    }

    /** As long as nothing watches the peer a sleep is short, so that a wakeup that is lost is found. */
    private static void awaitWatched(ShmLink link, ShmChannel full) throws InterruptedException {
        assertEquals(CreditResult.TIMED_OUT, full.awaitCredit(500, Duration.ofMillis(1)));
        Deadline.after(LIMIT).await("the peer is watched", link::isPeerWatched);
    }

    // r[verify shm.wakeup.credit-wait]
    @Test
    void eachEndOfAChannelWakesTheOneWhoWaitsForCreditAndSaysWhichItWas() throws Exception {
        List<CreditResult> expected =
                List.of(CreditResult.CLOSED, CreditResult.RESET, CreditResult.RESET, CreditResult.PEER_GONE);
        for (int way = 0; way < expected.size(); way++) {
            try (LinkPair own = new LinkPair(CONFIG)) {
                ShmChannel sender = own.host.openChannel();
                ShmChannel receiver = accepted(own.guest);
                assertEquals(SendResult.SENT, sender.trySend(frame(1, 900)));
                awaitWatched(own.host, sender);
                Waiting<CreditResult> waiting = Waiting.on(() -> sender.awaitCredit(500, LONGER));
                waiting.awaitAsleep();
                switch (way) {
                    case 0 -> sender.close();
                    case 1 -> sender.reset();
                    case 2 -> receiver.reset();
                    default -> own.guest.close();
                }
                assertEquals(expected.get(way), waiting.result());
                SendResult later = sender.trySend(frame(2, 1));
                assertEquals(
                        List.of(
                                        SendResult.CHANNEL_CLOSED,
                                        SendResult.CHANNEL_RESET,
                                        SendResult.CHANNEL_RESET,
                                        SendResult.PEER_GONE)
                                .get(way),
                        later);
            }
        }
    }

    // r[verify shm.channel]
    @Test
    void whatWasSentBeforeACloseIsReceivedAndTheOtherWayStaysOpen() throws Exception {
        ShmChannel theirs = accepted();
        ours.trySend(text("last"));
        ours.close();
        assertEquals(SendResult.CHANNEL_CLOSED, ours.trySend(text("more")));
        assertEquals("last", text(received(theirs)));
        assertNull(theirs.receive(LONG));
        assertTrue(theirs.hasEnded());
        assertEquals(ChannelState.HALF_CLOSED, theirs.state());
        assertEquals(SendResult.SENT, theirs.trySend(text("answer")));
        theirs.close();
        assertFalse(ours.hasEnded());
        assertEquals("answer", text(received(ours)));
        assertNull(ours.receive(LONG));
        assertEquals(ChannelState.CLOSED, ours.state());
        assertEquals(ChannelState.CLOSED, theirs.state());
    }

    @Test
    void aResetDropsWhatWasNotReceivedAndEndsAWaitForFrames() throws Exception {
        ShmChannel theirs = accepted();
        Waiting<Frame> receiving = Waiting.on(() -> ours.receive(LONGER));
        receiving.awaitAsleep();
        ours.trySend(text("dropped"));
        theirs.reset();
        assertNull(receiving.result());
        assertTrue(ours.hasEnded());
        assertEquals(ChannelState.RESET, ours.state());
        assertNull(theirs.receive(NO_TIME));
        assertEquals(SendResult.CHANNEL_RESET, ours.trySend(text("more")));
        assertEquals(0, pair.guest.poll(frame -> {}, 10));
        assertEquals(SendResult.SENT, pair.host.trySend(text("the link is well")));
        assertEquals("the link is well", text(LinkTest.receive(pair.guest)));
    }

    @Test
    void whatIsLeftOfAClosedChannelIsReceivedLaterOrDroppedByAReset() throws Exception {
        ShmChannel theirs = accepted();
        ShmChannel other = pair.host.openChannel();
        ShmChannel fast = accepted();
        ours.trySend(frame(1, 10));
        ours.trySend(frame(2, 10));
        ours.close();
        theirs.close();
        other.trySend(frame(3, 10));
        assertEquals(3, received(fast).id(), "the others are kept meanwhile");
        assertEquals(ChannelState.CLOSED, theirs.state());
        assertTrue(pair.guest.awaitData(NO_TIME));
        assertEquals(1, received(theirs).id());
        theirs.reset();
        assertFalse(pair.guest.awaitData(NO_TIME));
        assertNull(theirs.receive(NO_TIME));
    }

    @Test
    void aChannelThatNobodyReceivesOnHoldsUpNoOther() throws Exception {
        ShmChannel slow = accepted();
        ShmChannel other = pair.host.openChannel();
        ShmChannel fast = accepted();
        for (int i = 0; i < 10; i++) {
            assertEquals(SendResult.SENT, ours.trySend(frame(i, 68)));
        }
        for (int i = 0; i < 500; i++) {
            assertEquals(SendResult.SENT, other.send(frame(i, i % 500), LONG));
            assertEquals(i, received(fast).id());
        }
        for (int i = 0; i < 10; i++) {
            assertEquals(frame(i, 68).payload(), received(slow).payload());
        }
        assertEquals(1000, ours.credit());
    }

    @Test
    void whatWasKeptForAChannelAPollOfTheLinkFindsFirst() throws Exception {
        ShmChannel kept = accepted();
        ShmChannel other = pair.host.openChannel();
        ours.trySend(frame(1, 10));
        ShmChannel fast = accepted();
        ours.trySend(frame(2, 10));
        other.trySend(frame(3, 10));
        assertEquals(3, received(fast).id());
        ours.trySend(frame(4, 10));
        List<Long> seen = new ArrayList<>();
        assertTrue(pair.guest.awaitData(NO_TIME));
        assertEquals(1, pair.guest.poll(frame -> seen.add(frame.id()), 1));
        assertEquals(2, pair.guest.poll(frame -> seen.add(frame.id()), 10));
        assertEquals(List.of(1L, 2L, 4L), seen);
        assertEquals(0, kept.poll(frame -> {}, 10));
    }

    @Test
    void creditIsGrantedByHandWhereAChannelDoesNotDoSoItself() throws Exception {
        ShmChannel theirs = accepted();
        theirs.grantsItself(false);
        ours.trySend(frame(1, 868));
        assertThrows(IllegalArgumentException.class, () -> theirs.grant(1));
        assertEquals(868, received(theirs).length());
        assertEquals(100, ours.credit());
        theirs.grant(ShmChannel.cost(868) - 400);
        assertEquals(600, ours.credit());
        assertThrows(IllegalArgumentException.class, () -> theirs.grant(401));
        theirs.grant(400);
        assertEquals(1000, ours.credit());
        assertThrows(IllegalStateException.class, () -> ours.grant(1));
    }

    // r[verify shm.slot.reserve]
    @Test
    void aRingThatIsFullOfDataHasRoomForControl() throws Exception {
        ShmChannel theirs = accepted();
        while (pair.host.trySend(text("x")) == SendResult.SENT) {
            assertTrue(pair.host.isOpen());
        }
        assertEquals(SendResult.RING_FULL, ours.trySend(text("y")));
        ours.reset();
        assertEquals(60, pair.guest.poll(frame -> {}, 100));
        assertEquals(ChannelState.RESET, theirs.state(), "the RESET was in the ring");
    }

    @Test
    void controlThatFindsNoRoomGoesOutLater() throws Exception {
        try (LinkPair own =
                new LinkPair(LinkConfig.builder().ring(4).channels(33).build())) {
            List<ShmChannel> opened = new ArrayList<>();
            for (int i = 0; i < 16; i++) {
                opened.add(own.host.openChannel());
            }
            Waiting<SendResult> last = Waiting.on(() -> opened.get(15).send(text("last"), LONGER));
            last.awaitAsleep();
            ShmChannel theirs = accepted(own.guest);
            for (int i = 1; i < 16; i++) {
                theirs = accepted(own.guest);
            }
            assertEquals(SendResult.SENT, last.result());
            assertEquals(opened.get(15).id(), theirs.id());
            assertEquals("last", text(received(theirs)));
        }
    }

    // r[verify shm.channel]
    @Test
    void allChannelsOfALinkAreOpenedAndClosedAndOpenedAgain() throws Exception {
        try (LinkPair own = new LinkPair(LinkConfig.defaults())) {
            for (int round = 0; round < 4; round++) {
                List<ShmChannel> ends = new ArrayList<>();
                for (int i = 0; i < 255; i++) {
                    ShmLink opener = i % 2 == 0 ? own.guest : own.host;
                    ShmChannel opened = opener.openChannel();
                    ShmChannel theirs = accepted(opener == own.host ? own.guest : own.host);
                    assertEquals(opened.id(), theirs.id());
                    assertEquals(round + 1, opened.id() >>> 16);
                    assertEquals(SendResult.SENT, opened.trySend(frame(i, i)));
                    assertEquals(frame(i, i).payload(), received(theirs).payload());
                    ends.add(opened);
                    ends.add(theirs);
                }
                assertThrows(IllegalStateException.class, own.host::openChannel);
                assertThrows(IllegalStateException.class, own.guest::openChannel);
                for (int i = 0; i < ends.size(); i++) {
                    if (i % 6 < 4) {
                        ends.get(i).close();
                    } else if (i % 2 == 0) {
                        ends.get(i).reset();
                    }
                    own.host.poll(frame -> {}, 10);
                    own.guest.poll(frame -> {}, 10);
                }
                // Whoever was reset answers with its next call.
                assertNull(own.host.acceptChannel(NO_TIME));
                assertNull(own.guest.acceptChannel(NO_TIME));
                assertNull(own.host.acceptChannel(NO_TIME));
            }
        }
    }

    // r[verify shm.credit]
    @Test
    void totalsThatBeginNearTheirLimitsAreNothingSpecial() throws Exception {
        for (long start : new long[] {(1L << 32) - 2_000, Long.MAX_VALUE - 2_000, -2_000}) {
            try (LinkPair own = new LinkPair(CONFIG, start)) {
                ShmChannel sender = own.host.openChannel();
                ShmChannel receiver = accepted(own.guest);
                for (int i = 0; i < 50; i++) {
                    assertEquals(SendResult.SENT, sender.send(frame(i, 20 * i % 900), LONG));
                    assertEquals(i, received(receiver).id());
                    assertEquals(SendResult.SENT, receiver.send(frame(i, 17 * i % 900), LONG));
                    assertEquals(i, received(sender).id());
                }
            }
        }
    }
}

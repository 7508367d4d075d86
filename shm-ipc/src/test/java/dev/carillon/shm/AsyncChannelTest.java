package dev.carillon.shm;

import static dev.carillon.shm.ChannelTest.accepted;
import static dev.carillon.shm.ChannelTest.frame;
import static dev.carillon.shm.ChannelTest.received;
import static dev.carillon.shm.LinkPair.LIMIT;
import static dev.carillon.shm.LinkPair.NO_TIME;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
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
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Channels that are waited for on a loop. */
// r[verify shm.loop]
final class AsyncChannelTest {
    private static final int RACES = Boolean.getBoolean("carillon.stress") ? 500_000 : 3_000;

    private final EventLoop loop = EventLoop.open().start();
    private final LinkPair pair = new LinkPair(ChannelTest.CONFIG);
    private final AsyncLink async = watched(pair.host, loop);

    @AfterEach
    void closeAll() {
        pair.close();
        loop.close();
    }

    /** As long as nothing watches the peer, waits look now and then, so that a wakeup that is lost is found. */
    static AsyncLink watched(ShmLink link, EventLoop on) {
        AsyncLink async = link.onLoop(on);
        Deadline.after(LIMIT).await("the peer is watched", link::isPeerWatched);
        return async;
    }

    private static long id(@Nullable Frame frame) {
        return frame == null ? -1 : frame.id();
    }

    @Test
    void framesGoBothWaysByStages() throws Exception {
        AsyncChannel ours = async.openChannel();
        CompletableFuture<SendResult> first = ours.sendAsync(frame(1, 10));
        assertFalse(first.isDone(), "nobody has accepted it");
        ShmChannel theirs = accepted(pair.guest);
        assertEquals(SendResult.SENT, Futures.get(first));
        assertEquals(1, received(theirs).id());
        CompletableFuture<@Nullable Frame> answer = ours.receiveAsync();
        assertEquals(SendResult.SENT, theirs.trySend(frame(2, 500)));
        Frame received = Objects.requireNonNull(Futures.get(answer));
        assertEquals(frame(2, 500).payload(), received.payload());
        assertEquals(ours.channel().id(), received.channel());
    }

    @Test
    void aChannelOfThePeerIsAcceptedByAStage() throws Exception {
        CompletableFuture<@Nullable AsyncChannel> accepting = async.acceptChannelAsync();
        assertFalse(accepting.isDone());
        assertInstanceOf(IllegalStateException.class, Futures.failureOf(async.acceptChannelAsync()));
        ShmChannel theirs = pair.guest.openChannel();
        AsyncChannel ours = Objects.requireNonNull(Futures.get(accepting));
        assertEquals(theirs.id(), ours.channel().id());
        assertEquals(SendResult.SENT, theirs.send(frame(1, 1), LIMIT));
        assertEquals(1, id(Futures.get(ours.receiveAsync())));
        CompletableFuture<@Nullable AsyncChannel> none = async.acceptChannelAsync();
        pair.guest.close();
        assertNull(Futures.get(none));
    }

    // r[verify shm.wakeup.credit-wait]
    @Test
    void aSendWithoutCreditWaitsUntilFramesAreReceived() throws Exception {
        AsyncChannel ours = async.openChannel();
        ShmChannel theirs = accepted(pair.guest);
        assertEquals(SendResult.SENT, ours.trySend(frame(1, 900)));
        CompletableFuture<SendResult> sending = ours.sendAsync(frame(2, 900));
        assertInstanceOf(IllegalStateException.class, Futures.failureOf(ours.awaitCreditAsync(1)));
        assertEquals(1, received(theirs).id());
        assertEquals(SendResult.SENT, Futures.get(sending));
        CompletableFuture<CreditResult> credit = ours.awaitCreditAsync(1000);
        assertFalse(credit.isDone());
        assertEquals(2, received(theirs).id());
        assertEquals(CreditResult.GRANTED, Futures.get(credit));
        assertEquals(SendResult.TOO_LARGE, Futures.get(ours.sendAsync(frame(3, 969))));
        assertThrows(IllegalArgumentException.class, () -> ours.awaitCreditAsync(1001));
    }

    @Test
    void aSendWaitsForEntriesAndForSlotsThatOtherChannelsUse() throws Exception {
        AsyncChannel ours = async.openChannel();
        ShmChannel theirs = accepted(pair.guest);
        while (pair.host.trySend(frame(0, 1)) == SendResult.SENT) {
            assertTrue(pair.host.isOpen());
        }
        CompletableFuture<SendResult> entry = ours.sendAsync(frame(1, 1));
        assertFalse(entry.isDone());
        assertEquals(60, pair.guest.poll(frame -> {}, 60));
        assertEquals(SendResult.SENT, Futures.get(entry));
        assertEquals(1, received(theirs).id());
        List<Frame> held = new ArrayList<>();
        while (pair.host.trySend(frame(0, 900)) == SendResult.SENT) {
            assertEquals(1, pair.guest.poll(frame -> held.add(frame.retain()), 1));
        }
        CompletableFuture<SendResult> slot = ours.sendAsync(frame(2, 900));
        assertFalse(slot.isDone());
        held.get(0).release();
        assertEquals(SendResult.SENT, Futures.get(slot));
        assertEquals(2, received(theirs).id());
    }

    // r[verify shm.wakeup.credit-wait] r[verify shm.wait.all-transitions]
    @Test
    void eachEndOfAChannelEndsItsWaitsAndSaysWhichItWas() throws Exception {
        List<CreditResult> expected =
                List.of(CreditResult.CLOSED, CreditResult.RESET, CreditResult.RESET, CreditResult.PEER_GONE);
        for (int way = 0; way < expected.size(); way++) {
            try (LinkPair own = new LinkPair(ChannelTest.CONFIG)) {
                AsyncChannel sender = watched(own.host, loop).openChannel();
                ShmChannel receiver = accepted(own.guest);
                assertEquals(SendResult.SENT, sender.trySend(frame(1, 900)));
                CompletableFuture<CreditResult> credit = sender.awaitCreditAsync(500);
                CompletableFuture<@Nullable Frame> data = sender.receiveAsync();
                assertFalse(credit.isDone() || data.isDone());
                switch (way) {
                    case 0 -> sender.close();
                    case 1 -> sender.channel().reset();
                    case 2 -> receiver.reset();
                    default -> own.guest.close();
                }
                assertEquals(expected.get(way), Futures.get(credit));
                if (way == 0) {
                    receiver.close();
                }
                assertNull(Futures.get(data));
                assertTrue(sender.hasEnded());
            }
        }
    }

    @Test
    void whatThePeerHadSentBeforeItsGoodbyeIsReceived() throws Exception {
        AsyncChannel ours = async.openChannel();
        ShmChannel theirs = accepted(pair.guest);
        for (int i = 0; i < 5; i++) {
            assertEquals(SendResult.SENT, theirs.trySend(frame(i, 60)));
        }
        pair.guest.close();
        for (int i = 0; i < 5; i++) {
            assertEquals(i, id(Futures.get(ours.receiveAsync())));
        }
        assertNull(Futures.get(ours.receiveAsync()));
    }

    /** Its frame is in the ring, behind one that another thread is handing out: the peer rings for it no more. */
    @Test
    void whoFindsTheRingInUseIsToldWhenItIsFree() throws Exception {
        AsyncChannel slow = async.openChannel();
        ShmChannel first = accepted(pair.guest);
        AsyncChannel fast = async.openChannel();
        ShmChannel second = accepted(pair.guest);
        assertEquals(SendResult.SENT, second.send(frame(1, 10), LIMIT));
        assertEquals(SendResult.SENT, first.send(frame(2, 10), LIMIT));
        AtomicReference<@Nullable CompletableFuture<@Nullable Frame>> waiting = new AtomicReference<>();
        FrameHandler handler = frame -> {
            loop.execute(() -> waiting.set(slow.receiveAsync()));
            Deadline.after(LIMIT).await("it waits", () -> waiting.get() != null);
        };
        assertEquals(1, fast.channel().poll(handler, 1));
        assertEquals(2, id(Futures.get(Objects.requireNonNull(waiting.get()))));
    }

    /** Another thread has taken its frame from the ring: the peer rings for that no more. */
    @Test
    void aFrameThatAnotherChannelHasFoundIsToldToTheOneThatWaits() throws Exception {
        AsyncChannel slow = async.openChannel();
        ShmChannel first = accepted(pair.guest);
        AsyncChannel fast = async.openChannel();
        ShmChannel second = accepted(pair.guest);
        for (int i = 0; i < 500; i++) {
            CompletableFuture<@Nullable Frame> waiting = slow.receiveAsync();
            assertEquals(SendResult.SENT, first.send(frame(i, 10), LIMIT));
            assertEquals(SendResult.SENT, second.send(frame(-i, 10), LIMIT));
            Frame[] found = new Frame[1];
            Deadline.after(LIMIT).await("its own frame is there", () -> (found[0] = fast.tryReceive()) != null);
            assertEquals(-i, found[0].id());
            assertEquals(i, id(Futures.get(waiting)));
        }
    }

    @Test
    void aHandlerGetsAllFramesOfItsChannelAndLearnsOfTheClose() throws Exception {
        AsyncChannel ours = async.openChannel();
        ShmChannel theirs = accepted(pair.guest);
        List<Long> seen = new ArrayList<>();
        CompletableFuture<@Nullable Void> all = ours.onFrames(frame -> {
            assertTrue(loop.inLoop());
            seen.add(frame.id());
        });
        for (int i = 0; i < 1_000; i++) {
            assertEquals(SendResult.SENT, theirs.send(frame(i, i % 500), LIMIT));
        }
        theirs.close();
        assertNull(Futures.get(all));
        assertEquals(1_000, seen.size());
        assertEquals(999, seen.get(999));
    }

    @Test
    void eachCancelledReceiveLeavesItsFrameToTheNextOne(@Seeded SplittableRandom random) throws Exception {
        AsyncChannel ours = async.openChannel();
        ShmChannel theirs = accepted(pair.guest);
        int sent = 0;
        int received = 0;
        int cancelled = 0;
        for (int i = 0; i < RACES; i++) {
            CompletableFuture<@Nullable Frame> receiving = ours.receiveAsync();
            if (theirs.trySend(frame(sent, 0)) == SendResult.SENT) {
                sent++;
            }
            spin(random);
            if (receiving.cancel(true)) {
                cancelled++;
            } else {
                assertEquals(received++, id(Futures.get(receiving)));
            }
        }
        while (received < sent) {
            assertEquals(received++, id(Futures.get(ours.receiveAsync())));
        }
        int all = cancelled;
        assertTrue(all > 0 && all < RACES, () -> "no races: " + all);
        assertEquals(1000, theirs.credit(), "all is granted anew");
    }

    @Test
    void eachCancelledSendHasSentAllOrNothingAndNoCreditIsLost(@Seeded SplittableRandom random) throws Exception {
        AsyncChannel ours = async.openChannel();
        ShmChannel theirs = accepted(pair.guest);
        int sent = 0;
        int received = 0;
        for (int i = 0; i < RACES; i++) {
            // The first one needs what is left, the second one more.
            boolean fits = ours.trySend(frame(sent, 468)) == SendResult.SENT;
            sent += fits ? 1 : 0;
            CompletableFuture<SendResult> sending = ours.sendAsync(frame(sent, 900));
            Frame frame = theirs.receive(NO_TIME);
            received += assertNext(frame, received);
            spin(random);
            if (!sending.cancel(true)) {
                assertEquals(SendResult.SENT, Futures.get(sending));
                sent++;
            }
        }
        while (received < sent) {
            received += assertNext(theirs.receive(LIMIT), received);
        }
        assertNull(theirs.receive(NO_TIME));
        assertEquals(1000, ours.channel().credit());
    }

    private static int assertNext(@Nullable Frame frame, int expected) {
        if (frame != null) {
            assertEquals(expected, frame.id());
        }
        return frame == null ? 0 : 1;
    }

    private static void spin(SplittableRandom random) {
        long end = System.nanoTime() + random.nextInt(20_000);
        while (System.nanoTime() < end) {
            Thread.onSpinWait();
        }
    }

    @Test
    void threadsWaitForChannelsThatAreOnNoLoopOnly() throws Exception {
        AsyncChannel ours = async.openChannel();
        ShmChannel theirs = accepted(pair.guest);
        assertThrows(IllegalStateException.class, () -> ours.channel().receive(LIMIT));
        assertThrows(IllegalStateException.class, () -> pair.host.acceptChannel(LIMIT));
        assertEquals(SendResult.SENT, ours.trySend(frame(1, 900)));
        assertThrows(IllegalStateException.class, () -> ours.channel().awaitCredit(1000, LIMIT));
        CompletableFuture<@Nullable Frame> waiting = ours.receiveAsync();
        async.close();
        assertInstanceOf(ClosedException.class, Futures.failureOf(waiting));
        assertInstanceOf(ClosedException.class, Futures.failureOf(ours.receiveAsync()));
        assertThrows(ClosedException.class, async::openChannel);
        assertEquals(SendResult.SENT, theirs.send(frame(5, 10), LIMIT));
        assertEquals(5, received(ours.channel()).id());
        assertNotNull(received(theirs));
    }
}

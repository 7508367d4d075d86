package dev.carillon.shm;

import static dev.carillon.shm.AsyncChannelTest.watched;
import static dev.carillon.shm.ChannelTest.accepted;
import static dev.carillon.shm.ChannelTest.frame;
import static dev.carillon.shm.LinkPair.LIMIT;
import static dev.carillon.shm.LinkPair.LONG;
import static dev.carillon.shm.LinkPair.NO_TIME;
import static dev.carillon.shm.LinkPair.bytes;
import static dev.carillon.shm.LinkPair.text;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.ClosedException;
import dev.carillon.loop.EventLoop;
import dev.carillon.test.Deadline;
import dev.carillon.test.Futures;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What ends while a handler has a frame, a batch is written, or frames are handed out. */
final class EndInTheMidstTest {
    private static final int FRAMES = 10;

    /** Half of the time for which a close waits for a handler. */
    private static final long QUICK_NANOS = 500_000_000;

    private final EventLoop loop = EventLoop.open().start();
    private final LinkPair pair = new LinkPair(LinkConfig.defaults());

    @AfterEach
    void closeAll() {
        pair.close();
        loop.close();
    }

    private static void assertGone(Frame frame, ShmLink other) {
        assertFalse(frame.isReadable());
        assertThrows(ClosedException.class, () -> frame.getLong(0));
        assertThrows(ClosedException.class, () -> frame.getInt(0));
        assertThrows(ClosedException.class, frame::payload);
        assertThrows(ClosedException.class, frame::copy);
        assertThrows(ClosedException.class, frame::retain);
        assertThrows(ClosedException.class, () -> other.trySend(frame));
    }

    // r[verify shm.retain]
    @ParameterizedTest
    @ValueSource(ints = {8, 500})
    void aHandlerThatClosesItsLinkIsToldThatItsFrameIsGone(int length) {
        try (LinkPair other = new LinkPair(LinkConfig.defaults())) {
            assertEquals(SendResult.SENT, pair.guest.trySend(Frame.of(7, 42, bytes(length, 1))));
            int[] told = {0};
            pair.host.poll(
                    frame -> {
                        assertTrue(frame.isReadable());
                        pair.host.close();
                        assertGone(frame, other.host);
                        told[0]++;
                    },
                    1);
            assertEquals(1, told[0]);
            assertEquals(0, other.guest.poll(frame -> {}, 1), "nothing was forwarded");
        }
    }

    // r[verify shm.retain]
    @ParameterizedTest
    @ValueSource(ints = {8, 500})
    void aHandlerThatTakesLongerThanACloseWaitsIsToldThatItsFrameIsGone(int length) throws Exception {
        try (LinkPair other = new LinkPair(LinkConfig.defaults())) {
            assertEquals(SendResult.SENT, pair.guest.trySend(Frame.of(7, 42, bytes(length, 1))));
            CountDownLatch inHandler = new CountDownLatch(1);
            CountDownLatch closed = new CountDownLatch(1);
            Waiting<Integer> polling = Waiting.on(() -> pair.host.poll(
                    frame -> {
                        inHandler.countDown();
                        await(closed);
                        assertGone(frame, other.host);
                    },
                    1));
            await(inHandler);
            pair.host.close();
            closed.countDown();
            Throwable end = polling.ended();
            assertTrue(end == null || end instanceof ClosedException, String.valueOf(end));
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            assertTrue(latch.await(LIMIT.toSeconds(), TimeUnit.SECONDS));
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    // r[verify shm.senders]
    @Test
    void whatTheWriterOfABatchSaysOfChannelsGoesOutBehindTheBatch() throws Exception {
        ShmChannel known = pair.host.openChannel();
        ShmChannel knownThere = accepted(pair.guest);
        ShmChannel[] opened = new ShmChannel[1];
        int sent = pair.host.sendBatch(1, (index, writer) -> {
            known.close();
            opened[0] = pair.host.openChannel();
            assertThrows(IllegalStateException.class, () -> known.trySend(frame(1, 1)), "in the midst of a batch");
            writer.begin(1, 0, index, 8);
            return true;
        });
        assertEquals(1, sent);
        assertEquals(1, pair.guest.poll(frame -> {}, 8));
        assertTrue(knownThere.receive(NO_TIME) == null && knownThere.hasEnded());
        assertEquals(
                opened[0].id(),
                Objects.requireNonNull(pair.guest.acceptChannel(NO_TIME)).id());
    }

    // r[verify shm.loop]
    @ParameterizedTest
    @ValueSource(strings = {"cancel", "close"})
    void aHandlerThatEndsItsStageGetsNoMoreAndTheRestStaysInTheRing(String how) throws Exception {
        AsyncLink async = watched(pair.host, loop);
        for (int i = 0; i < FRAMES; i++) {
            assertEquals(SendResult.SENT, pair.guest.trySend(Frame.of(1, i, bytes(8, i))));
        }
        List<Long> handed = new ArrayList<>();
        CompletableFuture<CompletableFuture<Void>> stage = new CompletableFuture<>();
        loop.execute(() -> stage.complete(async.onFrames(frame -> {
            handed.add(frame.id());
            if (frame.id() == 3) {
                end(how, async, stage);
            }
        })));
        assertInstanceOf(RuntimeException.class, Futures.failureOf(Futures.get(stage)));
        awaitEndOfHandler();
        assertEquals(List.of(0L, 1L, 2L, 3L), handed);
        Frame next = Objects.requireNonNull(pair.host.receive(LIMIT));
        assertEquals(4, next.id());
    }

    private static void end(String how, AsyncLink async, CompletableFuture<CompletableFuture<Void>> stage) {
        if (how.equals("close")) {
            async.close();
        } else {
            cancel(stage);
        }
    }

    /** A stage ends within its handler, and the poll around that before the loop comes to this. */
    private void awaitEndOfHandler() {
        Futures.get(CompletableFuture.runAsync(() -> {}, loop));
    }

    private static void cancel(CompletableFuture<CompletableFuture<Void>> stage) {
        assertTrue(Futures.get(stage).cancel(true));
    }

    // r[verify shm.loop]
    @Test
    void aHandlerOfAChannelThatCancelsItsStageGetsNoMore() throws Exception {
        AsyncLink async = watched(pair.host, loop);
        ShmChannel theirs = pair.guest.openChannel();
        AsyncChannel ours = Objects.requireNonNull(Futures.get(async.acceptChannelAsync()));
        for (int i = 0; i < FRAMES; i++) {
            assertEquals(SendResult.SENT, theirs.send(frame(i, 8), LIMIT));
        }
        List<Long> handed = new ArrayList<>();
        CompletableFuture<CompletableFuture<Void>> stage = new CompletableFuture<>();
        loop.execute(() -> stage.complete(ours.onFrames(frame -> {
            handed.add(frame.id());
            if (frame.id() == 3) {
                cancel(stage);
            }
        })));
        assertInstanceOf(RuntimeException.class, Futures.failureOf(Futures.get(stage)));
        awaitEndOfHandler();
        assertEquals(List.of(0L, 1L, 2L, 3L), handed);
        assertEquals(4, Objects.requireNonNull(Futures.get(ours.receiveAsync())).id());
    }

    /** At each moment of the wait: before it sleeps, while it does, when it wakes. */
    @Test
    void whoWaitsAtTheCloseIsToldWhichLinkItWas() throws Exception {
        for (int i = 0; i < 100; i++) {
            try (LinkPair own = new LinkPair(LinkTest.SMALL)) {
                Waiting<Frame> receiving = Waiting.on(() -> own.host.receive(LONG));
                if (i % 2 == 0) {
                    receiving.awaitAsleep();
                }
                own.host.close();
                ClosedException told = assertInstanceOf(ClosedException.class, receiving.ended());
                String message = String.valueOf(told.getMessage());
                assertTrue(message.startsWith("ShmLink[peer=") && message.contains("was closed by this side"), message);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 64})
    void whoWaitsForRoomAtTheCloseIsToldSo(int length) throws Exception {
        for (int i = 0; i < 100; i++) {
            try (LinkPair own = new LinkPair(LinkTest.SMALL)) {
                while (own.host.trySend(Frame.of(1, i, bytes(8, i))) == SendResult.SENT) {}
                Waiting<Boolean> waiting = Waiting.on(() -> own.host.awaitSpace(length, LONG));
                if (i % 2 == 0) {
                    waiting.awaitAsleep();
                }
                own.host.close();
                assertInstanceOf(ClosedException.class, waiting.ended());
            }
        }
    }

    /** The text of a frame that was sent before a close is whole, as {@link LinkTest} has it for all others. */
    @Test
    void aQuickHandlerHasItsFrameWholeWhileAnotherThreadCloses() throws Exception {
        Deadline deadline = Deadline.after(LIMIT);
        while (!isWholeInAQuickHandler()) {
            assertFalse(deadline.isOver(), "no handler was quick");
        }
    }

    /** False if the thread of the handler stood still for too long. */
    private static boolean isWholeInAQuickHandler() throws Exception {
        try (LinkPair own = new LinkPair(LinkConfig.defaults())) {
            assertEquals(SendResult.SENT, own.guest.trySend(text("whole")));
            CountDownLatch inHandler = new CountDownLatch(1);
            String[] seen = new String[1];
            long[] ended = new long[1];
            Waiting<Integer> polling = Waiting.on(() -> own.host.poll(
                    frame -> {
                        inHandler.countDown();
                        try {
                            seen[0] = text(frame);
                        } finally {
                            ended[0] = System.nanoTime();
                        }
                    },
                    1));
            await(inHandler);
            long closing = System.nanoTime();
            own.host.close();
            assertTrue(polling.ended() == null || polling.ended() instanceof ClosedException);
            boolean wasQuick = ended[0] - closing < QUICK_NANOS;
            if (wasQuick) {
                assertEquals("whole", seen[0]);
            }
            return wasQuick;
        }
    }
}

package dev.carillon.shm;

import static dev.carillon.shm.LinkPair.LIMIT;
import static dev.carillon.shm.LinkPair.LONG;
import static dev.carillon.shm.LinkPair.bytes;
import static dev.carillon.shm.LinkPair.text;
import static dev.carillon.shm.LinkTest.SMALL;
import static dev.carillon.shm.LinkTest.receive;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.ClosedException;
import dev.carillon.test.Futures;
import dev.carillon.test.Seeded;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Frames that stay in their slots after their handlers. */
final class RetainTest {
    private static final int FRAMES = 20_000;

    /** The common pool of a machine with two cores has one thread. */
    private static final Executor OWN_THREAD = task -> new Thread(task).start();

    private final LinkPair pair = new LinkPair(SMALL);
    private final Frame large = Frame.of(7, 5, -3, bytes(1000, 9));

    @AfterEach
    void closePair() {
        pair.close();
    }

    private static Frame retained(ShmLink link) throws InterruptedException {
        List<Frame> kept = new ArrayList<>();
        assertTrue(link.awaitData(LONG));
        assertEquals(1, link.poll(frame -> kept.add(frame.retain()), 1));
        return kept.get(0);
    }

    // r[verify shm.retain]
    @Test
    void aLongFrameStaysInItsSlotUntilItIsReleased() throws Exception {
        pair.guest.trySend(large);
        Frame kept = retained(pair.host);
        assertEquals(SendResult.NO_SLOT, pair.guest.trySend(large), "it is not a copy");
        pair.guest.trySend(text("another"));
        receive(pair.host);
        assertEquals(7, kept.type());
        assertEquals(5, kept.flags());
        assertEquals(-3, kept.id());
        assertEquals(large.payload(), kept.payload());
        assertEquals(large.getLong(16), kept.getLong(16));
        kept.release();
        assertEquals(SendResult.SENT, pair.guest.trySend(large));
    }

    // r[verify shm.wakeup.slot-wait] r[verify shm.retain]
    @Test
    void aReleaseByAnyThreadWakesWhoWaitsForASlot() throws Exception {
        pair.guest.trySend(large);
        Frame kept = retained(pair.host);
        // Longer than the test is patient: what a last try finds is no wakeup.
        Waiting<SendResult> sending = Waiting.on(() -> pair.guest.send(large, LIMIT.multipliedBy(2)));
        sending.awaitAsleep();
        Futures.get(CompletableFuture.runAsync(kept::release));
        assertEquals(SendResult.SENT, sending.result());
    }

    @Test
    void aShortFrameIsCopiedAndItsEntryIsUsedAgain() throws Exception {
        pair.guest.trySend(text("first"));
        Frame kept = retained(pair.host);
        for (int i = 0; i < 10; i++) {
            assertEquals(SendResult.SENT, pair.guest.trySend(text("other")));
            receive(pair.host);
        }
        assertEquals("first", text(kept));
        kept.release();
        assertThrows(IllegalStateException.class, kept::payload);
    }

    @Test
    void eachUserOfAFrameReleasesItAndTheLastOneGivesItBack() throws Exception {
        pair.guest.trySend(large);
        Frame kept = retained(pair.host);
        assertSame(kept, kept.retain());
        kept.release();
        assertEquals(large.payload(), kept.payload());
        assertEquals(SendResult.NO_SLOT, pair.guest.trySend(large));
        kept.release();
        assertThrows(IllegalStateException.class, () -> kept.getLong(0));
        assertThrows(IllegalStateException.class, kept::payload);
        assertThrows(IllegalStateException.class, kept::copy);
        assertThrows(IllegalStateException.class, kept::retain);
        assertThrows(IllegalStateException.class, () -> pair.host.trySend(kept));
        assertThrows(IllegalStateException.class, kept::release);
        assertEquals(SendResult.SENT, pair.guest.trySend(large));
        assertEquals(SendResult.NO_SLOT, pair.guest.trySend(large), "it came back once");
    }

    @Test
    void aHandlerMayRetainTwiceAndThrow() throws Exception {
        pair.guest.trySend(large);
        List<Frame> kept = new ArrayList<>();
        FrameHandler throwing = frame -> {
            kept.add(frame.retain());
            kept.add(frame.retain());
            throw new IllegalStateException("after both");
        };
        assertThrows(IllegalStateException.class, () -> pair.host.poll(throwing, 1));
        kept.get(0).release();
        assertEquals(large.payload(), kept.get(1).payload());
        assertEquals(SendResult.NO_SLOT, pair.guest.trySend(large));
        kept.get(1).release();
        assertEquals(SendResult.SENT, pair.guest.trySend(large));
    }

    @Test
    void aFrameIsRetainedInItsHandlerOnly() {
        List<Frame> leaked = new ArrayList<>();
        for (Frame each : List.of(text("short"), large)) {
            pair.guest.trySend(each);
            pair.host.poll(leaked::add, 1);
            assertThrows(IllegalStateException.class, leaked.get(0)::retain);
        }
        assertThrows(IllegalStateException.class, leaked.get(0)::release);
        Frame own = large.retain();
        assertNotSame(large, own);
        assertEquals(large.payload(), own.payload());
        own.release();
    }

    @Test
    void aRetainedFrameCanBeSentOn() throws Exception {
        pair.guest.trySend(large);
        Frame kept = retained(pair.host);
        assertEquals(SendResult.SENT, pair.host.trySend(kept));
        kept.release();
        assertEquals(large.payload(), receive(pair.guest).payload());
    }

    // r[verify shm.retain]
    @Test
    void afterTheCloseARetainedFrameIsRefusedAndItsReleaseIsNothing() throws Exception {
        pair.guest.trySend(large);
        Frame kept = retained(pair.host);
        ByteBuffer before = kept.payload();
        pair.guest.close();
        assertEquals(large.payload(), kept.payload(), "the peer's goodbye takes nothing away");
        pair.host.close();
        assertThrows(ClosedException.class, () -> kept.getLong(0));
        assertThrows(ClosedException.class, () -> kept.getInt(0));
        assertThrows(ClosedException.class, kept::payload);
        assertThrows(ClosedException.class, kept::copy);
        assertEquals(0, before.getLong(8), "there is memory, and nothing in it");
        kept.release();
        assertThrows(IllegalStateException.class, kept::release);
    }

    @Test
    void aHandlerThatRetainsAndClosesHasAFrameThatIsRefused() {
        pair.guest.trySend(large);
        List<Frame> kept = new ArrayList<>();
        FrameHandler closing = frame -> {
            kept.add(frame.retain());
            pair.host.close();
            assertThrows(ClosedException.class, kept.get(0)::payload);
        };
        assertEquals(1, pair.host.poll(closing, 1));
        kept.get(0).release();
    }

    /** Whoever reads while the link is closed sees the frame or the exception, never the zeros of closed memory. */
    @Test
    void aCloseDuringReadsGivesWholeNumbersOrAnException() throws Exception {
        for (int i = 0; i < 200; i++) {
            try (LinkPair own = new LinkPair(SMALL)) {
                own.guest.trySend(large);
                Frame kept = retained(own.host);
                CompletableFuture<Void> started = new CompletableFuture<>();
                CompletableFuture<Long> wrong =
                        CompletableFuture.supplyAsync(() -> readUntilClosed(kept, started), OWN_THREAD);
                Futures.get(started);
                own.host.close();
                assertEquals(0, Futures.get(wrong));
            }
        }
    }

    private long readUntilClosed(Frame kept, CompletableFuture<Void> started) {
        long expected = large.getLong(24);
        long wrong = 0;
        try {
            while (true) {
                wrong += kept.getLong(24) == expected ? 0 : 1;
                started.complete(null);
            }
        } catch (ClosedException closed) {
            return wrong;
        }
    }

    /** A buffer cannot throw: it reads zeros of closed memory, and the frame tells. */
    // r[verify shm.retain]
    @Test
    void whatWasReadThroughABufferBeforeTheFrameSaidThatItIsReadableIsTheFrame() throws Exception {
        for (int i = 0; i < 200; i++) {
            try (LinkPair own = new LinkPair(SMALL)) {
                own.guest.trySend(large);
                Frame kept = retained(own.host);
                CompletableFuture<Void> started = new CompletableFuture<>();
                CompletableFuture<Long> wrong =
                        CompletableFuture.supplyAsync(() -> readWhileReadable(kept, started), OWN_THREAD);
                Futures.get(started);
                own.host.close();
                assertEquals(0, Futures.get(wrong));
            }
        }
    }

    private long readWhileReadable(Frame kept, CompletableFuture<Void> started) {
        ByteBuffer view = kept.payload();
        long wrong = 0;
        while (true) {
            long before = wrong;
            for (int at = view.position(); at < view.limit(); at++) {
                wrong += view.get(at) == large.payload().get(at - view.position()) ? 0 : 1;
            }
            if (!kept.isReadable()) {
                return before;
            }
            started.complete(null);
        }
    }

    @Test
    void aFrameIsReadableUntilItsLastReleaseAndAlwaysIfItHasBytesOfItsOwn() throws Exception {
        pair.guest.trySend(large);
        Frame kept = retained(pair.host);
        assertTrue(kept.isReadable() && large.isReadable());
        Frame copied = kept.copy();
        kept.release();
        assertFalse(kept.isReadable());
        pair.host.close();
        assertTrue(copied.isReadable());
    }

    // r[verify shm.slot]
    @Test
    void framesThatAreRetainedAndReleasedInAnyOrderByAnotherThreadComeWholeAndOnce(@Seeded SplittableRandom random)
            throws Exception {
        BlockingQueue<Frame> kept = new LinkedBlockingQueue<>();
        CompletableFuture<Long> sent = CompletableFuture.supplyAsync(() -> send(pair.guest), OWN_THREAD);
        SplittableRandom order = random.split();
        CompletableFuture<Long> released = CompletableFuture.supplyAsync(() -> release(kept, order), OWN_THREAD);
        int received = 0;
        while (received < FRAMES) {
            assertTrue(pair.host.awaitData(LONG));
            received += pair.host.poll(frame -> kept.add(frame.retain()), 1 + random.nextInt(3));
        }
        assertEquals(Futures.get(sent), Futures.get(released));
    }

    private static long send(ShmLink link) {
        long sum = 0;
        try {
            for (int i = 0; i < FRAMES; i++) {
                int length = 8 + i % 900;
                Frame frame = Frame.of(1, i, bytes(length, i));
                assertEquals(SendResult.SENT, link.send(frame, LONG));
                sum += frame.getLong(length - 8);
            }
            return sum;
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** Has two frames at most, so that the sender goes on. */
    private static long release(BlockingQueue<Frame> kept, SplittableRandom random) {
        long sum = 0;
        List<Frame> here = new ArrayList<>();
        try {
            for (int done = 0; done < FRAMES; done++) {
                Frame next =
                        here.size() == 2 ? null : kept.poll(here.isEmpty() ? LIMIT.toSeconds() : 0, TimeUnit.SECONDS);
                if (next != null) {
                    here.add(next);
                }
                Frame frame = here.remove(random.nextInt(here.size()));
                assertEquals(bytes(frame.length(), (int) frame.id()), frame.payload());
                sum += frame.getLong(frame.length() - 8);
                frame.release();
            }
            return sum;
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}

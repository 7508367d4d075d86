package dev.carillon.shm;

import static dev.carillon.shm.LinkPair.LIMIT;
import static dev.carillon.shm.LinkPair.LONG;
import static dev.carillon.shm.LinkPair.NO_TIME;
import static dev.carillon.shm.LinkPair.bytes;
import static dev.carillon.shm.LinkPair.text;
import static dev.carillon.shm.LinkTest.SMALL;
import static dev.carillon.shm.LinkTest.receive;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import dev.carillon.ClosedException;
import dev.carillon.test.Deadline;
import dev.carillon.test.Futures;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Many threads that send over one link. */
final class SharedSenderTest {
    private static final int THREADS = 3;
    private static final int FRAMES = 6_000;
    private static final int IN_LINE = 8;
    private static final Duration SHORT = Duration.ofMillis(20);

    private final LinkPair pair = new LinkPair(SMALL);
    private final SharedSender sender = pair.host.sharedSender();

    @AfterEach
    void closePair() {
        pair.close();
    }

    private void fillTheRing() {
        for (int i = 0; i < 3; i++) {
            assertEquals(SendResult.SENT, sender.trySend(text("x")));
        }
    }

    /** Waits for room itself, or for its turn. */
    private Waiting<SendResult> waiting(String text) {
        int before = waitingNow();
        Waiting<SendResult> waiting = Waiting.on(() -> sender.send(text(text), LONG));
        Deadline.after(LIMIT).await("it waits", () -> waitingNow() == before + 1);
        return waiting;
    }

    private int waitingNow() {
        return Integer.parseInt(sender.toString().replaceAll("\\D", ""));
    }

    @Test
    void theFramesOfEachThreadArriveInTheirOrderAndNoneIsLost() throws Exception {
        List<CompletableFuture<Void>> threads = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            int thread = i;
            threads.add(CompletableFuture.runAsync(() -> send(thread), task -> new Thread(task).start()));
        }
        int[] next = new int[THREADS];
        for (int i = 0; i < THREADS * FRAMES; i++) {
            Frame frame = receive(pair.guest);
            assertEquals(next[frame.type()]++, frame.id());
            assertEquals(bytes(frame.length(), (int) frame.id()), frame.payload());
        }
        threads.forEach(Futures::get);
        assertNull(pair.guest.receive(NO_TIME));
        assertEquals(THREADS * FRAMES, pair.host.stats().framesSent());
    }

    /** Short ones, long ones, and batches. */
    private void send(int thread) {
        try {
            int i = 0;
            while (i < FRAMES) {
                int first = i;
                BatchWriter two = (index, frame) -> {
                    int id = first + index;
                    return frame.begin(thread, 0, id, 8)
                            && write(frame, bytes(8, id).getLong(0));
                };
                int sent = i % 7 == 0 ? sender.sendBatch(Math.min(2, FRAMES - i), two) : 0;
                if (sent == 0) {
                    sent = 1;
                    SendResult result = sender.send(Frame.of(thread, i, bytes(i % 500, i)), LONG);
                    assertEquals(SendResult.SENT, result);
                }
                i += sent;
            }
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private static boolean write(FrameWriter frame, long value) {
        frame.putLong(0, value);
        return true;
    }

    // r[verify shm.senders]
    @Test
    void thoseWhoWaitSendInTheOrderInWhichTheyCame() throws Exception {
        fillTheRing();
        List<Waiting<SendResult>> all = new ArrayList<>();
        for (String each : List.of("a", "b", "c", "d")) {
            all.add(waiting(each));
        }
        for (int i = 0; i < 3; i++) {
            assertEquals("x", text(receive(pair.guest)));
        }
        for (String each : List.of("a", "b", "c", "d")) {
            assertEquals(each, text(receive(pair.guest)));
        }
        for (Waiting<SendResult> each : all) {
            assertEquals(SendResult.SENT, each.result());
        }
    }

    // r[verify shm.backpressure] r[verify shm.senders]
    @Test
    void nothingOvertakesWhoWaits() throws Exception {
        assertEquals(SendResult.SENT, sender.trySend(Frame.of(1, 1, bytes(1000, 1))));
        Frame large = Frame.of(1, 2, bytes(1000, 2));
        Waiting<SendResult> waiting = Waiting.on(() -> sender.send(large, LONG));
        waiting.awaitAsleep();
        assertEquals(SendResult.NO_SLOT, sender.trySend(Frame.of(1, 3, bytes(200, 3))), "it could take that slot");
        assertEquals(SendResult.SENT, sender.trySend(text("short")), "it needs no slot");
        assertEquals(SendResult.TOO_LARGE, sender.trySend(Frame.of(1, 0, bytes(1025, 0))));
        assertEquals(0, sender.sendBatch(1, (index, frame) -> fail("somebody waits")));
        assertEquals(1, receive(pair.guest).id());
        assertEquals(SendResult.SENT, waiting.result());
        receive(pair.guest);
        assertEquals(2, receive(pair.guest).id());
    }

    // r[verify shm.senders]
    @Test
    void nothingIsSentBetweenThoseWhoWaitInLine() throws Exception {
        for (int round = 0; round < 20; round++) {
            boolean waits = round % 2 == 0;
            fillTheRing();
            List<Waiting<SendResult>> all = new ArrayList<>();
            for (int i = 0; i < IN_LINE; i++) {
                all.add(waiting("waited"));
            }
            List<String> got = new ArrayList<>();
            while (got.size() < 3 + IN_LINE) {
                pair.guest.poll(frame -> got.add(text(frame)), 1);
                // Each time when one of them has had its turn, and the next one may not have begun yet.
                SendResult late = waits ? sender.send(text("late"), NO_TIME) : sender.trySend(text("late"));
                assertTrue(late == SendResult.SENT || late == SendResult.RING_FULL, late::toString);
            }
            for (Waiting<SendResult> each : all) {
                assertEquals(SendResult.SENT, each.result());
            }
            while (pair.guest.poll(frame -> got.add(text(frame)), 10) > 0) {
                assertTrue(got.size() < 1000);
            }
            int first = got.contains("late") ? got.indexOf("late") : got.size();
            assertTrue(first > got.lastIndexOf("waited"), got::toString);
        }
    }

    @Test
    void aWaitInTheQueueEndsAtItsDeadlineOrItsInterrupt() throws Exception {
        fillTheRing();
        Waiting<SendResult> first = waiting("first");
        assertEquals(SendResult.RING_FULL, sender.send(text("impatient"), SHORT));
        Waiting<SendResult> interrupted = waiting("interrupted");
        Waiting<SendResult> last = waiting("last");
        interrupted.interrupt();
        assertTrue(interrupted.ended() instanceof InterruptedException);
        for (String each : List.of("x", "x", "x", "first", "last")) {
            assertEquals(each, text(receive(pair.guest)));
        }
        assertEquals(SendResult.SENT, first.result());
        assertEquals(SendResult.SENT, last.result());
        assertNull(pair.guest.receive(NO_TIME));
    }

    @Test
    void aGoodbyeOfThePeerEndsAllWaits() throws Exception {
        fillTheRing();
        List<Waiting<SendResult>> all = List.of(waiting("a"), waiting("b"), waiting("c"));
        pair.guest.close();
        for (Waiting<SendResult> each : all) {
            assertEquals(SendResult.PEER_GONE, each.result());
        }
    }

    @Test
    void theCloseOfTheLinkEndsAllWaits() throws Exception {
        fillTheRing();
        List<Waiting<SendResult>> all = List.of(waiting("a"), waiting("b"), waiting("c"));
        pair.host.close();
        for (Waiting<SendResult> each : all) {
            assertTrue(each.ended() instanceof ClosedException, () -> "it has not ended");
        }
    }

    @Test
    void aLinkHasOneSharedSender() {
        assertSame(sender, pair.host.sharedSender());
    }
}

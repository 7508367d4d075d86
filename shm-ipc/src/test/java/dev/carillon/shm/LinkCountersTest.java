package dev.carillon.shm;

import static dev.carillon.shm.BareLink.LARGE;
import static dev.carillon.shm.LinkPair.LONG;
import static dev.carillon.shm.LinkPair.bytes;
import static dev.carillon.shm.LinkPair.text;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.loop.EventLoop;
import dev.carillon.shm.LinkMemory.Side;
import dev.carillon.test.Futures;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Whole links whose ring positions, totals of credit, generations of slots and event counts pass 2^31, 2^32, 2^63 and 2^64. */
final class LinkCountersTest {
    private static final int ROUNDS = 12;
    private static final long WINDOW = BareLink.SMALL.layout().toGuest().window();

    /**
     * Where the counters begin.
     *
     * @param start of ring positions and totals of credit
     * @param generation of all slots
     * @param count of all event counts
     */
    record Start(long start, int generation, int count) {}

    static Stream<Start> starts() {
        return Stream.of(
                new Start((1L << 31) - 30, Integer.MAX_VALUE - 2, Integer.MAX_VALUE - 2),
                new Start((1L << 32) - 30, -3, -3),
                new Start(Long.MAX_VALUE - 30, Integer.MAX_VALUE - 2, Integer.MAX_VALUE - 2),
                new Start(-30, -3, -3),
                // What is granted passes the limit, a window before what was sent.
                new Start((1L << 32) - WINDOW - 1_500, -3, -3),
                new Start(Long.MAX_VALUE - WINDOW - 1_500, Integer.MAX_VALUE - 2, -3),
                new Start(-WINDOW - 1_500, -3, -3));
    }

    // r[verify shm.ring] r[verify shm.slot] r[verify shm.credit] r[verify shm.batch] r[verify shm.claim]
    @ParameterizedTest
    @MethodSource("starts")
    void framesBatchesClaimsAndChannelsPassEachLimitInBothDirections(Start start) throws Exception {
        try (BareLink links = new BareLink(start.start, start.generation)) {
            for (Side side : Side.values()) {
                ShmLink from = links.link(side);
                ShmLink to = links.peerOf(side);
                ShmChannel channel = from.openChannel();
                ShmChannel accepted = Objects.requireNonNull(to.acceptChannel(LONG));
                for (int i = 0; i < ROUNDS; i++) {
                    assertEquals(SendResult.SENT, from.trySend(Frame.of(1, i, bytes(20, i))));
                    assertEquals(SendResult.SENT, from.trySend(Frame.of(1, i + 1, bytes(1000, i + 1))));
                    assertFrames(to, i, 20, 1000);
                    assertEquals(2, from.sendBatch(2, BatchTestFrames.of(i)));
                    assertFrames(to, i, 30, 200);
                    try (SlotWriter claim = Objects.requireNonNull(from.tryClaim(300))) {
                        claim.bytes().put(0, bytes(300, i), 0, 300);
                        assertEquals(SendResult.SENT, claim.commit(1, 0, i));
                    }
                    assertFrames(to, i, 300);
                    assertEquals(SendResult.SENT, channel.send(Frame.of(1, i, bytes(500, i)), LONG));
                    assertEquals(
                            bytes(500, i),
                            Objects.requireNonNull(accepted.receive(LONG)).payload());
                    long window = links.from(side).window();
                    assertEquals(CreditResult.GRANTED, channel.awaitCredit(window, LONG));
                    assertEquals(window, channel.credit());
                }
                assertEquals(6L * ROUNDS, from.stats().framesSent());
            }
        }
    }

    private static void assertFrames(ShmLink to, int first, int... lengths) {
        List<Long> seen = new ArrayList<>();
        to.poll(
                frame -> {
                    int length = lengths[seen.size()];
                    assertEquals(bytes(length, first + seen.size()), frame.payload());
                    seen.add(frame.id());
                },
                10);
        for (int i = 0; i < lengths.length; i++) {
            assertEquals(first + i, seen.get(i));
        }
        assertEquals(lengths.length, seen.size());
    }

    /** What is waited for. */
    enum Wait {
        DATA,
        ROOM,
        SLOT,
        CREDIT
    }

    // r[verify shm.wait.event-counter]
    @ParameterizedTest
    @EnumSource(Wait.class)
    void eventCountsThatPassALimitWakeAsBefore(Wait wait) throws Exception {
        for (Start start : starts().toList()) {
            for (Side side : Side.values()) {
                try (BareLink links = new BareLink(start.start, start.generation);
                        EventLoop loop = EventLoop.open().start()) {
                    links.beginEventCounts(start.count);
                    sleepAndListen(
                            wait,
                            links.link(side),
                            links.peerOf(side),
                            loop,
                            links.from(side).window());
                }
            }
        }
    }

    private static void sleepAndListen(Wait wait, ShmLink link, ShmLink peer, EventLoop loop, long window)
            throws Exception {
        ShmChannel channel = link.openChannel();
        ShmChannel accepted = Objects.requireNonNull(peer.acceptChannel(LONG));
        for (int i = 0; i < 5; i++) {
            switch (wait) {
                case DATA -> {
                    Waiting<Frame> waiting = asleep(Waiting.on(() -> link.receive(LONG)));
                    assertEquals(SendResult.SENT, peer.trySend(text("late")));
                    assertEquals("late", text(waiting.result()));
                }
                case ROOM -> {
                    BareLink.fill(link);
                    Waiting<SendResult> waiting = asleep(Waiting.on(() -> link.send(text("more"), LONG)));
                    assertTrue(peer.poll(frame -> {}, 10) > 0);
                    assertEquals(SendResult.SENT, waiting.result());
                }
                case SLOT -> {
                    assertEquals(SendResult.SENT, link.trySend(LARGE));
                    Waiting<SendResult> waiting = asleep(Waiting.on(() -> link.send(LARGE, LONG)));
                    assertEquals(1, peer.poll(frame -> {}, 10));
                    assertEquals(SendResult.SENT, waiting.result());
                    assertEquals(1, peer.poll(frame -> {}, 10));
                }
                case CREDIT -> {
                    assertEquals(SendResult.SENT, channel.send(text("uses some"), LONG));
                    Waiting<CreditResult> waiting = asleep(Waiting.on(() -> channel.awaitCredit(window, LONG)));
                    assertNotNull(accepted.receive(LONG));
                    assertEquals(CreditResult.GRANTED, waiting.result());
                }
            }
        }
        if (wait == Wait.DATA) {
            AsyncLink async = link.onLoop(loop);
            for (int i = 0; i < 5; i++) {
                CompletableFuture<Frame> listening = async.receiveAsync();
                assertEquals(SendResult.SENT, peer.trySend(text("rung")));
                assertEquals("rung", text(Futures.get(listening)));
            }
        }
    }

    private static <T> Waiting<T> asleep(Waiting<T> waiting) {
        waiting.awaitAsleep();
        return waiting;
    }

    /** Two frames, one inline and one in a slot. */
    private static final class BatchTestFrames {
        static BatchWriter of(int first) {
            return (index, frame) -> {
                int length = index == 0 ? 30 : 200;
                if (!frame.begin(1, 0, first + index, length)) {
                    return false;
                }
                frame.put(0, bytes(length, first + index), 0, length);
                return true;
            };
        }
    }
}

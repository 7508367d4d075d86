package dev.carillon.shm;

import static dev.carillon.shm.LinkPair.LIMIT;
import static dev.carillon.shm.LinkPair.text;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.ClosedException;
import dev.carillon.loop.EventLoop;
import dev.carillon.process.Spawn;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Each public method of what has been closed: it answers, or refuses with a text that says so; it never waits. */
final class ClosedUseTest {
    private static final LinkConfig SMALL =
            LinkConfig.builder().ring(8).slots(1024, 2).channels(8).build();

    private final EventLoop loop = EventLoop.open().start();

    @AfterEach
    void closeLoop() {
        loop.close();
    }

    @Test
    void aLinkThatWasClosed() throws Exception {
        try (LinkPair pair = new LinkPair(SMALL)) {
            pair.host.trySend(text("nobody reads this"));
            pair.guest.close();
            ClosedCalls.of(pair.guest)
                    .refuse("trySend", "send", "sendAndRing", "sendBatch", "tryClaim", "awaitClaim", "awaitSpace")
                    .refuse("poll", "receive", "awaitData", "openChannel", "acceptChannel", "onLoop")
                    .answer("claimRefusal", "close", "isOpen", "maxLength", "peerId", "peerState", "sharedSender")
                    .answer("stats", "toString")
                    .check();
            assertEquals(PeerState.GONE, pair.guest.peerState());
            assertTrue(pair.guest.toString().contains("closed"), pair.guest::toString);
        }
    }

    @Test
    void theSharedSenderOfALinkThatWasClosed() throws Exception {
        try (LinkPair pair = new LinkPair(SMALL)) {
            SharedSender sender = pair.host.sharedSender();
            pair.host.close();
            ClosedCalls.of(sender)
                    .refuse("send", "sendBatch", "trySend")
                    .answer("toString")
                    .check();
        }
    }

    @Test
    void aClaimThatWasOpenWhenItsLinkWasClosed() throws Exception {
        for (int length : new int[] {10, 1000}) {
            try (LinkPair pair = new LinkPair(SMALL)) {
                SlotWriter claim = Objects.requireNonNull(pair.guest.tryClaim(length));
                pair.guest.close();
                ClosedCalls.of(claim)
                        .refuse("abort", "bytes", "commit", "length")
                        .answer("close", "isOpen", "toString")
                        .check();
            }
        }
    }

    @Test
    void aClaimThatWasCommitted() throws Exception {
        try (LinkPair pair = new LinkPair(SMALL)) {
            SlotWriter claim = Objects.requireNonNull(pair.guest.tryClaim(1000));
            claim.commit(1, 0, 1);
            String over = "there is no claim: it was committed, aborted, or refused; claim again";
            ClosedCalls.of(claim)
                    .refuse(over, List.of("abort", "bytes", "commit", "length"))
                    .answer("close", "isOpen", "toString")
                    .check();
        }
    }

    @Test
    void theWriterOfABatchThatIsOver() throws Exception {
        try (LinkPair pair = new LinkPair(SMALL)) {
            AtomicReference<FrameWriter> kept = new AtomicReference<>();
            assertEquals(0, pair.host.sendBatch(1, (i, frame) -> {
                kept.set(frame);
                return false;
            }));
            ClosedCalls calls = ClosedCalls.of(Objects.requireNonNull(kept.get()))
                    .refuse("the batch is over", List.of("begin"))
                    .refuse("begin() the frame before its bytes", List.of("put", "putByte", "putInt", "putLong"))
                    .answer("maxLength", "toString");
            calls.check();
            pair.host.close();
            calls.check();
        }
    }

    @Test
    void framesOfALinkThatWasClosed() throws Exception {
        try (LinkPair pair = new LinkPair(SMALL)) {
            AtomicReference<Frame> seen = new AtomicReference<>();
            AtomicReference<Frame> retained = new AtomicReference<>();
            pair.host.trySend(Frame.of(1, 2, LinkPair.bytes(1000, 0)));
            FrameHandler keeping = frame -> {
                seen.set(frame);
                retained.set(frame.retain());
            };
            assertEquals(1, pair.guest.poll(keeping, 1));
            pair.guest.close();
            ClosedCalls.of(Objects.requireNonNull(retained.get()))
                    .refuse("copy", "getInt", "getLong", "payload")
                    .answer("channel", "flags", "id", "length", "release", "retain", "toString", "type")
                    .check();
            // The bytes of the other one were its handler's, and are gone.
            ClosedCalls.of(Objects.requireNonNull(seen.get()))
                    .refuse("copy", "getInt", "getLong", "payload", "retain")
                    .refuse("was not retained", List.of("release"))
                    .answer("channel", "flags", "id", "length", "toString", "type")
                    .check();
        }
    }

    @Test
    void aChannelOfALinkThatWasClosed() throws Exception {
        try (LinkPair pair = new LinkPair(SMALL)) {
            ShmChannel channel = pair.host.openChannel();
            channel.grantsItself(false);
            ShmChannel accepted = Objects.requireNonNull(pair.guest.acceptChannel(LIMIT));
            pair.host.close();
            ClosedCalls.of(channel)
                    .refuse("awaitCredit", "credit", "grant", "poll", "receive", "send", "trySend")
                    .answer("close", "grantsItself", "hasEnded", "id", "reset", "state", "toString")
                    .check();
            assertEquals(SendResult.PEER_GONE, accepted.send(text("too late"), LIMIT));
            assertEquals(null, accepted.receive(LIMIT));
        }
    }

    /** What waits, sends or receives is refused, by its future or at once; what only asks depends on the link. */
    @Test
    void aLinkOnALoopThatWasClosed() throws Exception {
        String[] asking = {"awaitSpaceAsync", "hasFrame", "hasSpace", "isOver"};
        try (LinkPair pair = new LinkPair(SMALL)) {
            AsyncLink first = pair.host.onLoop(loop);
            first.close();
            onLoop(first).answer(asking).check();
            AsyncLink second = pair.host.onLoop(loop);
            pair.host.close();
            onLoop(second).refuse(asking).check();
        }
    }

    private static ClosedCalls onLoop(AsyncLink link) {
        return ClosedCalls.of(link)
                .refuse("awaitData", "awaitDataAsync", "awaitRoom", "awaitSpace", "onFrames", "receiveAsync")
                .refuse("sendAsync", "tryClaim", "tryReceive", "trySend")
                .answer("claimRefusal", "close", "forget", "isTurnOver", "loop", "toString");
    }

    @Test
    void aHostThatWasClosedAndTheTicketsOfIt() throws Exception {
        ShmHost host = ShmHost.create();
        PeerTicket ticket = host.addPeer(SMALL);
        host.close();
        ClosedCalls.of(ticket)
                .answer("close", "link", "toArguments", "toEnvironment", "toString")
                .check();
        ClosedException refused =
                assertThrows(ClosedException.class, () -> host.spawn(Spawn.command("true"), ticket, loop));
        assertTrue(refused.toString().contains("ask the host for another ticket"), refused::toString);
        assertThrows(ClosedException.class, () -> host.spawn(Spawn.command("true"), ticket));
        assertThrows(ClosedException.class, () -> host.addPeer(SMALL));
        assertThrows(ClosedException.class, () -> host.onPeerDeath(death -> {}));
        assertEquals(null, host.peer(1));
        assertEquals(0, host.peers().size());
        assertTrue(host.toString().contains("closed"), host::toString);
        host.close();
    }

    @Test
    void aTicketThatWasClosedStartsNobody() {
        try (ShmHost host = ShmHost.create()) {
            PeerTicket closed = host.addPeer(SMALL);
            closed.close();
            ClosedException refused =
                    assertThrows(ClosedException.class, () -> host.spawn(Spawn.command("true"), closed, loop));
            assertTrue(refused.toString().contains("ask the host for another ticket"), refused::toString);
        }
    }
}

package dev.carillon.shm;

import static dev.carillon.shm.LinkPair.LONG;
import static dev.carillon.shm.LinkPair.NO_TIME;
import static dev.carillon.shm.LinkPair.bytes;
import static dev.carillon.shm.LinkPair.text;
import static dev.carillon.shm.LinkTest.SMALL;
import static dev.carillon.shm.LinkTest.receive;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.ClosedException;
import dev.carillon.memory.Access;
import dev.carillon.memory.MemoryRegion;
import dev.carillon.shm.segment.DirectionLayout;
import dev.carillon.shm.slot.SlotWord;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Frames that are written where the peer reads them. */
final class ClaimTest {
    private static final DirectionLayout TO_GUEST = SMALL.layout().toGuest();

    private final LinkPair pair = new LinkPair(SMALL);

    @AfterEach
    void closePair() {
        pair.close();
    }

    private SlotWriter claimed(int length) {
        return Objects.requireNonNull(pair.host.tryClaim(length), () -> "refused: " + pair.host.claimRefusal());
    }

    private static void write(SlotWriter claim, int seed) {
        claim.bytes().put(bytes(claim.length(), seed));
    }

    // r[verify shm.claim]
    @Test
    void aClaimThatIsAbortedOrClosedSendsNothingAndGivesItsRoomBack() throws Exception {
        for (int length : new int[] {10, 1000}) {
            for (int i = 0; i < 10; i++) {
                SlotWriter claim = claimed(length);
                write(claim, i);
                claim.abort();
                try (SlotWriter closed = claimed(length)) {
                    write(closed, i);
                }
            }
        }
        assertNull(pair.guest.receive(NO_TIME));
        assertEquals(SendResult.SENT, pair.host.trySend(Frame.of(1, 0, bytes(1000, 0))));
        assertEquals(new LinkStats(1, 1000, 0, 0), pair.host.stats());
    }

    // r[verify shm.backpressure]
    @Test
    void aRefusedClaimTellsWhy() throws Exception {
        assertThrows(IllegalArgumentException.class, () -> pair.host.tryClaim(-1));
        assertNull(pair.host.tryClaim(1025));
        assertEquals(SendResult.TOO_LARGE, pair.host.claimRefusal());
        claimed(1000).commit(1, 0, 1);
        assertNull(pair.host.claimRefusal());
        assertNull(pair.host.tryClaim(1000));
        assertEquals(SendResult.NO_SLOT, pair.host.claimRefusal());
        assertNull(pair.host.awaitClaim(1000, NO_TIME));
        assertEquals(SendResult.NO_SLOT, pair.host.claimRefusal());
        pair.host.trySend(text("b"));
        pair.host.trySend(text("c"));
        assertNull(pair.host.tryClaim(1));
        assertEquals(SendResult.RING_FULL, pair.host.claimRefusal());
        pair.guest.close();
        assertNull(pair.host.tryClaim(1));
        assertEquals(SendResult.PEER_GONE, pair.host.claimRefusal());
        assertNull(pair.host.awaitClaim(1, LONG));
    }

    @Test
    void aSecondClaimIsRefusedWithAdvice() {
        SlotWriter claim = claimed(10);
        IllegalStateException second = assertThrows(IllegalStateException.class, () -> pair.host.tryClaim(20));
        assertTrue(second.toString().contains("commit() or abort() it"), second::toString);
        assertTrue(claim.isOpen());
        claim.commit(1, 0, 0);
        claimed(20).abort();
    }

    @Test
    void afterACommitAndAfterAnAbortAWriterIsRefused() {
        SlotWriter claim = claimed(1000);
        claim.commit(1, 0, 0);
        assertOver(claim);
        SlotWriter aborted = claimed(10);
        aborted.abort();
        assertOver(aborted);
        assertEquals(1, pair.guest.poll(frame -> {}, 10));
    }

    private static void assertOver(SlotWriter claim) {
        assertFalse(claim.isOpen());
        assertThrows(IllegalStateException.class, claim::bytes);
        assertThrows(IllegalStateException.class, claim::length);
        assertThrows(IllegalStateException.class, () -> claim.commit(1, 0, 0));
        assertThrows(IllegalStateException.class, claim::abort);
        claim.close();
    }

    @Test
    void aCommitWithArgumentsThatNoFrameHasLeavesTheClaimOpen() throws Exception {
        SlotWriter claim = claimed(10);
        assertThrows(IllegalArgumentException.class, () -> claim.commit(0xFF00, 0, 0));
        assertThrows(IllegalArgumentException.class, () -> claim.commit(1, -1, 0));
        assertThrows(IllegalArgumentException.class, () -> claim.commit(1, 0, 0, 11));
        assertThrows(IllegalArgumentException.class, () -> claim.commit(1, 0, 0, -1));
        assertEquals(SendResult.SENT, claim.commit(1, 0, 0));
        assertEquals(10, receive(pair.guest).length());
    }

    // r[verify shm.ring.capacity] r[verify shm.claim]
    @Test
    void aCommitAlwaysFindsItsEntryAndGoesBehindWhatWasSentMeanwhile() throws Exception {
        SlotWriter claim = claimed(1000);
        write(claim, 1);
        assertEquals(SendResult.SENT, pair.host.trySend(text("a")));
        assertEquals(SendResult.SENT, pair.host.trySend(text("b")));
        assertEquals(SendResult.RING_FULL, pair.host.trySend(text("c")));
        assertFalse(pair.host.awaitSpace(NO_TIME));
        assertEquals(SendResult.SENT, claim.commit(1, 0, 0));
        assertEquals("a", text(receive(pair.guest)));
        assertEquals("b", text(receive(pair.guest)));
        assertEquals(bytes(1000, 1), receive(pair.guest).payload());
    }

    @Test
    void whatAUserDoesToTheBufferOfAClaimIsForgottenByTheNext() throws Exception {
        for (int length : new int[] {90, 1000}) {
            SlotWriter claim = claimed(length);
            claim.bytes().order(ByteOrder.BIG_ENDIAN).limit(0);
            assertEquals(SendResult.SENT, claim.commit(1, 0, 0));
            assertEquals(length, receive(pair.guest).length());
            ByteBuffer next = claimed(length - 1).bytes();
            assertEquals(0, next.position());
            assertEquals(length - 1, next.limit());
            assertEquals(ByteOrder.nativeOrder(), next.order());
            Objects.requireNonNull(claim).abort();
        }
    }

    private static Waiting<SlotWriter> awaiting(ShmLink link, int length) {
        return Waiting.on(() -> link.awaitClaim(length, LONG));
    }

    // r[verify shm.wakeup.slot-wait] r[verify shm.wakeup.producer-wait]
    @Test
    void aClaimThatNeedsAnEntryAndASlotSleepsUntilItHasBoth() throws Exception {
        claimed(1000).commit(1, 0, 0);
        pair.host.trySend(text("b"));
        pair.host.trySend(text("c"));
        Keeping first = new Keeping();
        Waiting<SlotWriter> waiting = awaiting(pair.host, 1000);
        waiting.awaitAsleep();
        pair.guest.poll(first, 1);
        // Now there is an entry, and the slot is still away.
        waiting.awaitAsleep();
        assertFalse(waiting.isOver());
        Objects.requireNonNull(first.kept).release();
        SlotWriter claim = assertNotNullResult(waiting);
        assertEquals(SendResult.SENT, claim.commit(1, 0, 7));
        receive(pair.guest);
        receive(pair.guest);
        assertEquals(7, receive(pair.guest).id());
    }

    private static SlotWriter assertNotNullResult(Waiting<SlotWriter> waiting) throws Exception {
        SlotWriter claim = waiting.result();
        assertNotNull(claim);
        return claim;
    }

    /** Keeps what it gets. */
    private static final class Keeping implements FrameHandler {
        private @Nullable Frame kept;

        @Override
        public void onFrame(Frame frame) {
            kept = frame.retain();
        }
    }

    @Test
    void aWaitForAClaimEndsWithTheGoodbyeOfThePeer() throws Exception {
        claimed(1000).commit(1, 0, 0);
        Waiting<SlotWriter> waiting = awaiting(pair.host, 1000);
        waiting.awaitAsleep();
        pair.guest.close();
        assertNull(waiting.result());
        assertEquals(SendResult.PEER_GONE, pair.host.claimRefusal());
    }

    @Test
    void aClaimWhosePeerLeavesIsRefusedAtItsCommitAndOver() {
        for (int length : new int[] {10, 1000}) {
            try (LinkPair own = new LinkPair(SMALL)) {
                SlotWriter claim = Objects.requireNonNull(own.host.tryClaim(length));
                own.guest.close();
                assertEquals(SendResult.PEER_GONE, claim.commit(1, 0, 0));
                assertOver(claim);
            }
        }
    }

    // r[verify shm.claim]
    @Test
    void theCloseOfTheLinkReleasesAClaimThatIsOpen() {
        try (MemoryRegion memory = MemoryRegion.ofDescriptor(pair.ticket.memoryNumber(), Access.READ_WRITE)) {
            SlotWriter claim = claimed(1000);
            ByteBuffer there = claim.bytes();
            assertEquals(SlotWord.CLAIMED, SlotWord.state(memory.bytes().getLong(TO_GUEST.slotWord(2))));
            pair.host.close();
            assertEquals(SlotWord.FREE, SlotWord.state(memory.bytes().getLong(TO_GUEST.slotWord(2))));
            there.putLong(0, 1);
            assertFalse(claim.isOpen());
            assertThrows(ClosedException.class, claim::bytes);
            assertThrows(ClosedException.class, () -> claim.commit(1, 0, 0));
            claim.close();
            assertThrows(ClosedException.class, () -> pair.host.tryClaim(1));
        }
    }

    // r[verify shm.slot]
    @Test
    void aPeerThatTouchesAClaimedSlotHasItsLinkFail() {
        try (MemoryRegion memory = MemoryRegion.ofDescriptor(pair.ticket.memoryNumber(), Access.READ_WRITE)) {
            SlotWriter claim = claimed(1000);
            memory.bytes().putLongVolatile(TO_GUEST.slotWord(2), SlotWord.of(9, SlotWord.HELD));
            IllegalStateException failed = assertThrows(IllegalStateException.class, () -> claim.commit(1, 0, 0));
            assertTrue(failed.toString().contains("has failed"), failed::toString);
            assertEquals(PeerState.GONE, pair.host.peerState());
        }
    }
}

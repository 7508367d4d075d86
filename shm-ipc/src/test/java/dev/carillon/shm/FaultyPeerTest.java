package dev.carillon.shm;

import static dev.carillon.shm.LinkPair.NO_TIME;
import static dev.carillon.shm.LinkPair.bytes;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.memory.Access;
import dev.carillon.memory.MemoryRegion;
import dev.carillon.memory.OrderedBytes;
import dev.carillon.shm.segment.DirectionLayout;
import dev.carillon.shm.segment.LinkWord;
import dev.carillon.shm.segment.SegmentLayout;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** What the users of a link are told of a peer that writes nonsense. */
final class FaultyPeerTest {
    private static final SegmentLayout LAYOUT = LinkHostilityTest.SMALL.layout();
    private static final DirectionLayout TO_HOST = LAYOUT.toHost();
    private static final Frame SHORT = Frame.of(1, 1, bytes(8, 1));
    private static final Frame LONG = Frame.of(1, 2, bytes(200, 1));

    // r[verify shm.faulty-peer.told] r[verify shm.faulty-peer]
    @Test
    void theReasonSaysWhatThePeerHasWritten() {
        assertTold("COUNTER", SHORT, memory -> memory.putLongVolatile(TO_HOST.head(), 1_000));
        assertTold("ENTRY", SHORT, memory -> memory.putIntVolatile(TO_HOST.entry(0) + 16, 1_000));
        assertTold("SLOT", LONG, memory -> memory.putLongVolatile(TO_HOST.slotWord(0), 0));
        assertTold("CHANNEL", SHORT, memory -> memory.putIntVolatile(TO_HOST.entry(0) + 4, 1 << 16 | 1));
        assertTold("LINK_WORD", SHORT, memory -> memory.putLongVolatile(SegmentLayout.LINK_WORD, LinkWord.reserved(7)));
    }

    private static void assertTold(String reason, Frame sent, Consumer<OrderedBytes> nonsense) {
        try (LinkPair faulty = new LinkPair(LinkHostilityTest.SMALL);
                LinkPair other = new LinkPair(LinkHostilityTest.SMALL);
                MemoryRegion memory = MemoryRegion.ofDescriptor(faulty.ticket.memoryNumber(), Access.READ_WRITE)) {
            assertEquals(SendResult.SENT, faulty.guest.trySend(sent));
            nonsense.accept(memory.bytes());

            FaultyPeerException told =
                    assertThrows(FaultyPeerException.class, () -> use(faulty.host), "nobody has told " + reason);

            assertEquals(reason, told.reason(), told::toString);
            assertTrue(told.toString().contains("has failed and carries nothing any more: "), told::toString);
            assertEquals(PeerState.GONE, faulty.host.peerState());
            assertSame(told, faulty.host.failure());
            assertNull(other.host.failure());
            assertEquals(PeerState.GONE, faulty.guest.peerState());
            assertSame(told, assertThrows(FaultyPeerException.class, () -> faulty.host.openChannel()));
            assertSame(told, assertThrows(FaultyPeerException.class, () -> faulty.host.receive(NO_TIME)));
            assertEquals(SendResult.SENT, other.host.trySend(SHORT));
        }
    }

    private static void use(ShmLink link) {
        link.poll(frame -> {}, 1);
        link.trySend(SHORT);
    }
}

package dev.carillon.shm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A guest that comes after another one gets its id and its name, and nothing else of it. */
// r[verify shm.recovery]
final class GuestIdTest {
    private static final LinkConfig SMALL = BareLink.SMALL;
    private static final Duration LIMIT = LinkPair.LIMIT;

    @TempDir
    private Path folder;

    @Test
    void anotherGuestWithTheIdOfOneThatIsGoneHasMemoryOfItsOwn() throws Exception {
        try (ShmHost host = ShmHost.create()) {
            assertReplaced(host);
        }
    }

    @Test
    void aFileOfAGuestThatIsGoneMakesRoomForThatOfAnotherOne() throws Exception {
        Path directory = folder.resolve("host");
        HostConfig files = HostConfig.builder().inFiles().build();
        try (ShmHost host = ShmHost.create(directory, files)) {
            assertReplaced(host);
            assertEquals(List.of("link-1", "socket"), names(directory));
        }
        assertFalse(Files.exists(directory));
    }

    private static void assertReplaced(ShmHost host) throws Exception {
        PeerTicket first = host.addPeer(SMALL);
        try (ShmLink gone = LinkPair.attach(first)) {
            assertEquals(SendResult.SENT, gone.trySend(LinkPair.text("of the first")));
        }
        PeerTicket second = host.addPeer(1, SMALL);
        assertSame(second.link(), host.peer(1));
        assertEquals(List.of(second.link()), host.peers());
        assertEquals(2, second.link().peer().incarnation());
        try (ShmLink guest = LinkPair.attach(second)) {
            assertEquals(1, guest.peerId());
            assertEquals(SendResult.SENT, guest.trySend(LinkPair.text("of the second")));
            assertEquals("of the first", LinkPair.text(LinkTest.receive(first.link())));
            assertNull(first.link().receive(LIMIT));
            assertEquals("of the second", LinkPair.text(LinkTest.receive(second.link())));
            first.link().close();
            assertEquals(SendResult.SENT, second.link().trySend(LinkPair.text("go on")));
            assertEquals("go on", LinkPair.text(LinkTest.receive(guest)));
        }
    }

    @Test
    void anIdIsNotTakenFromAGuestThatIsThereOrExpected() {
        try (ShmHost host = ShmHost.create()) {
            PeerTicket expected = host.addPeer(7, SMALL);
            assertRefused(host, "EXPECTED");
            ShmLink guest = LinkPair.attach(expected);
            assertRefused(host, "ATTACHED");
            guest.close();
            assertEquals(7, host.addPeer(7, SMALL).link().peerId());
            for (int wrong : new int[] {Integer.MIN_VALUE, -1, 0, ShmHost.MAX_PEERS + 1}) {
                IllegalArgumentException refused =
                        assertThrows(IllegalArgumentException.class, () -> host.addPeer(wrong, SMALL));
                assertTrue(refused.toString().contains("1 to 255"), refused::toString);
            }
            host.addPeer(ShmHost.MAX_PEERS, SMALL);
        }
    }

    private static void assertRefused(ShmHost host, String state) {
        IllegalStateException refused = assertThrows(IllegalStateException.class, () -> host.addPeer(7, SMALL));
        assertTrue(refused.toString().contains("id=7"), refused::toString);
        assertTrue(refused.toString().contains(state), refused::toString);
    }

    @Test
    void aHostThatIsFullTakesTheIdsOfGuestsThatAreGoneAndTellsWhenNobodyClosesTheirLinks() {
        try (ShmHost host = ShmHost.create()) {
            List<ShmLink> guests = new ArrayList<>();
            for (int i = 0; i < ShmHost.MAX_PEERS; i++) {
                guests.add(LinkPair.attach(host.addPeer(SMALL)));
            }
            IllegalStateException full = assertThrows(IllegalStateException.class, () -> host.addPeer(SMALL));
            assertTrue(full.toString().contains("255 guests"), full::toString);
            guests.get(99).close();
            ShmLink before = Objects.requireNonNull(host.peer(100));
            assertEquals(100, host.addPeer(SMALL).link().peerId());
            assertThrows(IllegalStateException.class, () -> host.addPeer(SMALL));
            guests.forEach(ShmLink::close);
            for (int i = 1; i < ShmHost.MAX_PEERS; i++) {
                host.addPeer(SMALL).link().endReservation();
            }
            IllegalStateException left = assertThrows(IllegalStateException.class, () -> host.addPeer(SMALL));
            assertTrue(left.toString().contains("close() them"), left::toString);
            assertEquals(ShmHost.MAX_PEERS, host.peers().size());
            before.close();
            host.addPeer(SMALL);
        }
    }

    private static List<String> names(Path directory) throws Exception {
        try (Stream<Path> all = Files.list(directory)) {
            return all.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }
}

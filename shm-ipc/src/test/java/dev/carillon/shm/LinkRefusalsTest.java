package dev.carillon.shm;

import static dev.carillon.shm.LinkPair.LIMIT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.ClosedException;
import dev.carillon.memory.Access;
import dev.carillon.memory.MemoryRegion;
import dev.carillon.memory.Seal;
import dev.carillon.shm.doorbell.Doorbell;
import dev.carillon.shm.doorbell.DoorbellEvent;
import dev.carillon.shm.doorbell.DoorbellPair;
import dev.carillon.shm.segment.SegmentLayout;
import dev.carillon.sys.LibC;
import dev.carillon.sys.call.Sys;
import dev.carillon.test.Deadline;
import dev.carillon.test.proc.Descriptors;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** Links that cannot be made, and memory that is not that of a link. */
final class LinkRefusalsTest {
    private static final LinkConfig SMALL =
            LinkConfig.builder().ring(4).withoutSlots().build();

    /** Where the header has them: docs/spec/shm-layout.md. */
    private static final int VERSION = 8;

    private static final int ENDIANNESS = 16;

    private static void assertRefused(String why, Executable building) {
        IllegalArgumentException refused = assertThrows(IllegalArgumentException.class, building);
        assertTrue(String.valueOf(refused.getMessage()).contains(why), refused::toString);
    }

    @Test
    void aRingThatIsNoPowerOfTwoIsRefusedWithItsNeighbours() {
        assertRefused("take 64 or 128", () -> LinkConfig.builder().ring(100).build());
        for (int entries : new int[] {Integer.MIN_VALUE, -4, 0, 1, 2, 3, 1 << 21, Integer.MAX_VALUE}) {
            assertRefused(
                    "ring entries=" + entries,
                    () -> LinkConfig.builder().ring(entries).build());
        }
    }

    @Test
    void sizesWhoseSumOverflowsAreRefusedBeforeThereIsMemory() {
        assertRefused(
                "a segment has",
                () -> LinkConfig.builder().slots(1 << 30, 1 << 20).build());
        assertRefused(
                "a segment has",
                () -> LinkConfig.builder()
                        .ring(1 << 20)
                        .inlineBytes((1 << 16) - 32)
                        .build());
        assertRefused(
                "a segment has",
                () -> LinkConfig.builder()
                        .slots((1 << 30) - 64, 1)
                        .slots(1 << 30, 1)
                        .build());
        assertRefused(
                "slot", () -> LinkConfig.builder().slots(64, Integer.MAX_VALUE).build());
        assertRefused(
                "slot", () -> LinkConfig.builder().slots(Integer.MAX_VALUE, 1).build());
        assertRefused(
                "inline bytes=97", () -> LinkConfig.builder().inlineBytes(97).build());
    }

    /** The memory of a new link after it was written over; a guest tries to attach to it. */
    private static String reasonAfter(Consumer<MemoryRegion> damage) {
        try (ShmHost host = ShmHost.create();
                PeerTicket ticket = host.addPeer(SMALL)) {
            try (MemoryRegion memory = MemoryRegion.ofDescriptor(ticket.memoryNumber(), Access.READ_WRITE)) {
                damage.accept(memory);
            }
            SegmentFormatException refused = assertThrows(SegmentFormatException.class, () -> LinkPair.attach(ticket));
            assertEquals(
                    PeerState.GONE == ticket.link().peerState(),
                    refused.reason().equals("LINK_WORD"));
            return refused.reason();
        }
    }

    // r[verify shm.header]
    @Test
    void aGuestRefusesMemoryOfAnotherVersionOrByteOrderOrNone() {
        assertEquals("VERSION", reasonAfter(memory -> memory.bytes().putInt(VERSION, 99)));
        assertEquals("ENDIANNESS", reasonAfter(memory -> memory.bytes().putInt(ENDIANNESS, 0x04030201)));
        assertEquals("MAGIC", reasonAfter(memory -> memory.bytes().putLong(0, 1)));
        assertEquals("UNPUBLISHED", reasonAfter(memory -> memory.bytes().putLong(0, 0)));
        assertEquals("CHECKSUM", reasonAfter(memory -> memory.bytes().putInt(72, 1)));
        assertEquals("LINK_WORD", reasonAfter(memory -> memory.bytes().putLong(SegmentLayout.LINK_WORD, 77)));
    }

    private static void attach(MemoryRegion region) {
        try (DoorbellPair bells = Doorbell.pair()) {
            int memory = copy(region.fd());
            int bell = copy(bells.guest().fd());
            try {
                ShmGuest.attach(memory, bell);
            } finally {
                LibC.get().close(memory);
                LibC.get().close(bell);
            }
        }
    }

    private static int copy(int number) {
        return Sys.get().descriptors().duplicateFrom(number, 0).acquire();
    }

    // r[verify shm.header]
    @Test
    void memoryThatIsTooShortOrCanBecomeSoIsRefusedAndNothingIsLeft() {
        int before = Descriptors.count();
        try (MemoryRegion tiny = MemoryRegion.memfd("tiny", 1);
                MemoryRegion open = MemoryRegion.memfd("open", SMALL.layout().total(), EnumSet.of(Seal.GROW))) {
            assertEquals(
                    "UNPUBLISHED",
                    assertThrows(SegmentFormatException.class, () -> attach(tiny))
                            .reason());
            assertRefused("sealed", () -> attach(open));
            assertEquals(Set.of(Seal.GROW), open.seals());
        }
        Deadline.after(LIMIT).await("all is closed", () -> Descriptors.count() <= before);
    }

    @Test
    void whatIsNoBellIsRefused() {
        try (ShmHost host = ShmHost.create();
                PeerTicket ticket = host.addPeer(SMALL)) {
            assertRefused("socket", () -> ShmGuest.attach(ticket.memoryNumber(), ticket.memoryNumber()));
            try (ShmLink guest = LinkPair.attach(ticket)) {
                assertEquals(PeerState.ATTACHED, guest.peerState());
            }
        }
    }

    /** As where a process has only inherited the variable of its environment, and has sockets of its own with these numbers. */
    // r[verify shm.attach.once]
    @Test
    void numbersThatMeanSomethingElseAreRefusedAndLeftAlone() {
        try (DoorbellPair sockets = Doorbell.pair();
                MemoryRegion noLink =
                        MemoryRegion.memfd("no-link", SMALL.layout().total())) {
            int socket = sockets.host().fd();
            int bell = sockets.guest().fd();
            for (int i = 0; i < 2; i++) {
                assertLeftAlone(socket, bell, "start guests by ShmHost.spawn");
                assertLeftAlone(999_999, bell, "start guests by ShmHost.spawn");
                assertLeftAlone(noLink.fd(), bell, "UNPUBLISHED");
            }
            assertEquals(DoorbellEvent.TIMEOUT, sockets.host().poll());
        }
    }

    private static void assertLeftAlone(int memory, int bell, String why) {
        Map<Integer, String> before = Descriptors.ofProgram();
        String option = PeerTicket.OPTION + memory + "," + bell;
        RuntimeException refused = assertThrows(RuntimeException.class, () -> ShmGuest.attach(new String[] {option}));
        assertTrue(refused.toString().contains(why), refused::toString);
        Deadline.after(LIMIT)
                .await(
                        "nothing is left open",
                        () -> Descriptors.openedSince(before).isEmpty());
        Map<Integer, String> after = Descriptors.ofProgram();
        assertEquals(before.get(memory), after.get(memory));
        assertEquals(before.get(bell), after.get(bell));
    }

    @Test
    void argumentsWithoutDescriptorsAreRefused() {
        assertRefused("hand over what PeerTicket.toArguments() gives", () -> ShmGuest.attach(new String[0]));
        for (String bad : new String[] {"", "3", "3;4", "a,b", "3,4,5", "99999999999,4"}) {
            assertRefused(
                    "two descriptors are expected", () -> ShmGuest.attach(new String[] {PeerTicket.OPTION + bad}));
        }
    }

    @Test
    void whatIsClosedMakesNoLinksAndTellsSo() {
        ShmHost host = ShmHost.create();
        PeerTicket ticket = host.addPeer(SMALL);
        host.close();
        host.close();
        assertThrows(ClosedException.class, () -> host.addPeer(SMALL));
        assertThrows(ClosedException.class, () -> ticket.link().poll(frame -> {}, 1));
        ticket.close();
        ticket.close();
        assertEquals(PeerState.GONE, ticket.link().peerState());
    }
}

package dev.carillon.shm;

import static dev.carillon.shm.LinkPair.bytes;
import static dev.carillon.shm.LinkPair.text;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.carillon.ClosedException;
import dev.carillon.memory.Access;
import dev.carillon.memory.MemoryRegion;
import dev.carillon.shm.LinkMemory.Side;
import dev.carillon.shm.doorbell.Doorbell;
import dev.carillon.shm.doorbell.DoorbellPair;
import dev.carillon.shm.segment.DirectionLayout;
import dev.carillon.shm.segment.LinkWord;
import dev.carillon.shm.segment.SegmentIdentity;
import dev.carillon.shm.segment.SegmentLayout;

/** Both ends of a link in one process, whose bells a test can tear out. */
final class BareLink implements AutoCloseable {
    static final LinkConfig SMALL =
            LinkConfig.builder().ring(4).slots(256, 2).slots(1024, 1).build();

    /** Needs the one large slot. */
    static final Frame LARGE = Frame.of(1, 7, bytes(1000, 3));

    private final SegmentLayout layout = SMALL.layout();
    private final MemoryRegion memory;
    private final DoorbellPair bells = Doorbell.pair();
    final ShmLink host;
    final ShmLink guest;

    BareLink() {
        SegmentIdentity identity =
                new SegmentIdentity(1, 2, (int) ProcessHandle.current().pid(), 0, 1);
        MemoryRegion own = MemoryRegion.memfd("bare", layout.total());
        memory = MemoryRegion.ofDescriptor(own.fd(), Access.READ_WRITE);
        MemoryRegion guestsOwn = MemoryRegion.ofDescriptor(own.fd(), Access.READ_WRITE);
        host = new ShmLink(LinkMemory.create(own, identity, layout, 0), Side.HOST, bells.host());
        LinkMemory opened = LinkMemory.open(guestsOwn);
        guest = new ShmLink(opened, Side.GUEST, bells.guest());
        opened.status(Side.GUEST).attach((int) ProcessHandle.current().pid());
    }

    ShmLink link(Side side) {
        return side == Side.HOST ? host : guest;
    }

    ShmLink peerOf(Side side) {
        return side == Side.HOST ? guest : host;
    }

    /** What the kernel does at the death of a side: the other one hears the hang-up, and nothing was said. */
    void tearOut(Side dying) {
        (dying == Side.HOST ? bells.host() : bells.guest()).close();
    }

    /** The direction in which that side sends. */
    DirectionLayout from(Side side) {
        return side == Side.HOST ? layout.toGuest() : layout.toHost();
    }

    int sleepWord(int event) {
        return memory.bytes().getIntVolatile(event + Integer.BYTES);
    }

    /** The link was attached, and is reserved again, which no correct peer does. */
    void corrupt() {
        memory.bytes().putLongVolatile(SegmentLayout.LINK_WORD, LinkWord.reserved(1));
    }

    static void fill(ShmLink sender) {
        while (sender.trySend(text("x")) == SendResult.SENT) {
            assertEquals(0, sender.stats().framesReceived());
        }
    }

    @Override
    public void close() {
        close(guest);
        close(host);
        memory.close();
        bells.close();
    }

    private static void close(ShmLink link) {
        try {
            link.close();
        } catch (ClosedException tornOut) {
            assertEquals(false, link.isOpen());
        }
    }
}

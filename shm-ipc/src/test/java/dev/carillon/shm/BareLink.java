package dev.carillon.shm;

import static dev.carillon.shm.LinkPair.bytes;
import static dev.carillon.shm.LinkPair.text;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.carillon.ClosedException;
import dev.carillon.memory.Access;
import dev.carillon.memory.MemoryRegion;
import dev.carillon.shm.LinkMemory.Side;
import dev.carillon.shm.channel.CreditPlace;
import dev.carillon.shm.doorbell.Doorbell;
import dev.carillon.shm.doorbell.DoorbellPair;
import dev.carillon.shm.segment.DirectionLayout;
import dev.carillon.shm.segment.LinkWord;
import dev.carillon.shm.segment.SegmentIdentity;
import dev.carillon.shm.segment.SegmentLayout;
import java.util.ArrayList;
import java.util.List;

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
        this(0, 0);
    }

    /**
     * A link whose counters are not at their beginning.
     *
     * @param start of the ring positions and of the totals of credit
     * @param generation of the slots
     */
    BareLink(long start, int generation) {
        SegmentIdentity identity =
                new SegmentIdentity(1, 2, (int) ProcessHandle.current().pid(), 0, 1);
        MemoryRegion own = MemoryRegion.memfd("bare", layout.total());
        memory = MemoryRegion.ofDescriptor(own.fd(), Access.READ_WRITE);
        MemoryRegion guestsOwn = MemoryRegion.ofDescriptor(own.fd(), Access.READ_WRITE);
        LinkMemory created = LinkMemory.create(own, identity, layout, start).withGeneration(generation);
        host = new ShmLink(created, Side.HOST, bells.host());
        LinkMemory opened = LinkMemory.open(guestsOwn).withGeneration(generation);
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

    /** The bell of a side. */
    Doorbell bell(Side side) {
        return side == Side.HOST ? bells.host() : bells.guest();
    }

    private List<Integer> events() {
        List<Integer> all = new ArrayList<>();
        for (Side side : Side.values()) {
            DirectionLayout at = from(side);
            all.addAll(List.of(at.dataEvent(), at.spaceEvent(), at.slotEvent()));
            for (int index = 1; index < at.channels(); index++) {
                all.add(creditEvent(side, index));
            }
        }
        return all;
    }

    /** The counts of all event counts. */
    List<Integer> eventCounts() {
        return events().stream().map(memory.bytes()::getIntVolatile).toList();
    }

    /** Lets all event counts begin there; nobody waits yet. */
    void beginEventCounts(int count) {
        events().forEach(event -> memory.bytes().putIntVolatile(event, count));
    }

    /** A peer has taken the sleepers, and has not woken them yet. */
    void takeSleepers(int event) {
        memory.bytes().putIntVolatile(event + Integer.BYTES, 0);
    }

    /** The link was attached, and is reserved again, which no correct peer does. */
    void corrupt() {
        memory.bytes().putLongVolatile(SegmentLayout.LINK_WORD, LinkWord.reserved(1));
    }

    /** What that side waits on for credit of the channel with that index. */
    int creditEvent(Side side, int index) {
        DirectionLayout at = from(side);
        return new CreditPlace(at.credits(), at.channels(), at.window()).event(index);
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

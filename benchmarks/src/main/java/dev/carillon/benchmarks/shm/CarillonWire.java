package dev.carillon.benchmarks.shm;

import dev.carillon.memory.Access;
import dev.carillon.memory.MemoryRegion;
import dev.carillon.shm.ring.RingPlace;
import dev.carillon.shm.segment.DirectionLayout;
import dev.carillon.shm.segment.DirectionShape;
import dev.carillon.shm.segment.SegmentLayout;
import dev.carillon.shm.segment.SegmentShape;
import dev.carillon.shm.segment.SlotClass;
import dev.carillon.shm.slot.SlotPlace;
import dev.carillon.shm.slot.SlotRange;
import java.nio.file.Path;
import java.util.List;

/** One direction of a link in a memfd, at the level of its ring and slots. */
final class CarillonWire implements Wire {
    private static final int SLOTS = 4;

    private final boolean inPlace;

    /** Long messages are copied to and from their slots, or written and read there. */
    CarillonWire(boolean inPlace) {
        this.inPlace = inPlace;
    }

    @Override
    public Outlet outlet(Traffic traffic) {
        SegmentLayout layout = layout(traffic);
        MemoryRegion region = MemoryRegion.memfd("shm", layout.total());
        DirectionLayout at = layout.toGuest();
        return traffic.isSmall()
                ? new RingOutlet(traffic, region, ring(at))
                : new SlotOutlet(traffic, region, ring(at), slots(at), inPlace);
    }

    @Override
    public Inlet inlet(Traffic traffic, String address) {
        DirectionLayout at = layout(traffic).toGuest();
        MemoryRegion region = MemoryRegion.openFile(Path.of(address), Access.READ_WRITE);
        return traffic.isSmall()
                ? new RingInlet(region, ring(at))
                : new SlotInlet(traffic, region, ring(at), slots(at), inPlace);
    }

    /** Both sides make the same: a link's defaults, with slots that fit. */
    private static SegmentLayout layout(Traffic traffic) {
        SegmentShape defaults = SegmentShape.defaults();
        if (traffic.isSmall()) {
            return SegmentLayout.of(defaults);
        }
        DirectionShape direction = defaults.toGuest();
        DirectionShape withSlots = new DirectionShape(
                direction.ringEntries(),
                direction.inlineBytes(),
                direction.window(),
                List.of(new SlotClass(traffic.bytes(), SLOTS)));
        return SegmentLayout.of(new SegmentShape(defaults.channels(), withSlots, defaults.toHost()));
    }

    private static RingPlace ring(DirectionLayout at) {
        return new RingPlace(at.head(), at.tail(), at.entries(), at.entryBytes(), at.ringEntries());
    }

    private static SlotPlace slots(DirectionLayout at) {
        SlotClass only = at.classes().get(0);
        return new SlotPlace(at.slotWords(), List.of(new SlotRange(at.slotArea(), only.bytes(), only.count())));
    }

    /** What another process opens to have the memory of a region. */
    static String addressOf(MemoryRegion region) {
        return "/proc/" + ProcessHandle.current().pid() + "/fd/" + region.fd();
    }
}

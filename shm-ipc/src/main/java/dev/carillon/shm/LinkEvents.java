package dev.carillon.shm;

import dev.carillon.futex.EventCount;
import dev.carillon.memory.MemoryRegion;
import dev.carillon.shm.segment.DirectionLayout;

/**
 * What the two sides of one direction wait for.
 *
 * @param data the receiver waits for frames
 * @param space the sender waits for entries of the ring
 * @param slots the sender waits for slots, of any class
 */
// r[impl shm.wait.event-counter]
record LinkEvents(EventCount data, EventCount space, EventCount slots) {
    /**
     * Those of a direction.
     *
     * @param bell wakes a peer that listens for it instead of sleeping
     */
    // r[impl shm.wakeup.fallback]
    static LinkEvents of(MemoryRegion region, DirectionLayout at, Runnable bell) {
        return new LinkEvents(
                EventCount.at(region, at.dataEvent(), bell),
                EventCount.at(region, at.spaceEvent(), bell),
                EventCount.at(region, at.slotEvent(), bell));
    }

    /** Wakes all that wait, on either side: the link has changed, not one of the conditions. */
    void wakeAll() {
        data.recover();
        space.recover();
        slots.recover();
    }
}

package dev.carillon.shm;

import dev.carillon.HeldDescriptor;
import dev.carillon.memory.MemoryRegion;
import dev.carillon.shm.doorbell.Doorbell;

/**
 * The two descriptors of a guest while they are handed over: host, link and ticket may be closed meanwhile, and no number becomes
 * another's.
 *
 * @param memory the memory of the link
 * @param bell the guest's end of the bell
 */
// r[impl shm.attach.own-descriptors]
record TicketDescriptors(HeldDescriptor memory, HeldDescriptor bell) implements AutoCloseable {
    /**
     * Holds both.
     *
     * @throws dev.carillon.ClosedException if one of them was closed; then it holds none
     */
    static TicketDescriptors hold(MemoryRegion region, Doorbell guestBell) {
        HeldDescriptor memory = region.hold();
        boolean complete = false;
        try {
            TicketDescriptors both = new TicketDescriptors(memory, guestBell.hold());
            complete = true;
            return both;
        } finally {
            if (!complete) {
                memory.close();
            }
        }
    }

    /** In the order in which a guest that comes by the socket gets them. */
    int[] numbers() {
        return new int[] {memory.number(), bell.number()};
    }

    /** A second call does nothing. */
    @Override
    public void close() {
        try {
            memory.close();
        } finally {
            bell.close();
        }
    }
}

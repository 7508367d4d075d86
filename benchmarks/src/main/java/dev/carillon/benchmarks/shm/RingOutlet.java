package dev.carillon.benchmarks.shm;

import dev.carillon.memory.MemoryRegion;
import dev.carillon.memory.OrderedBytes;
import dev.carillon.shm.ring.EntryLayout;
import dev.carillon.shm.ring.RingPlace;
import dev.carillon.shm.ring.RingSender;
import java.util.concurrent.TimeoutException;

/** Writes messages into the entries of a ring, in place, and publishes a batch with one store. */
final class RingOutlet implements Outlet {
    static final int TYPE = 1;
    static final int CHANNEL = 1;

    private final Traffic traffic;
    private final MemoryRegion region;
    private final OrderedBytes bytes;
    private final RingSender ring;

    RingOutlet(Traffic traffic, MemoryRegion region, RingPlace place) {
        this.traffic = traffic;
        this.region = region;
        bytes = region.bytes();
        ring = new RingSender(bytes, place, 0);
    }

    @Override
    public String address() {
        return CarillonWire.addressOf(region);
    }

    @Override
    public void send(long first, int count, Patience patience) throws TimeoutException {
        for (int done = 0; done < count; ) {
            int some = Math.min(traffic.batch(), count - done);
            while (ring.freeForData(some) < some) {
                patience.again();
            }
            for (int i = 0; i < some; i++) {
                write(ring.offset(i), first + done + i);
            }
            ring.publish(some);
            done += some;
        }
    }

    /** All eight stamps by hand, as in C. */
    private void write(int entry, long number) {
        EntryLayout.putInline(bytes, entry, TYPE, 0, CHANNEL, number, 64);
        int at = entry + EntryLayout.HEADER_BYTES;
        bytes.putLong(at, number);
        bytes.putLong(at + 8, number + 1);
        bytes.putLong(at + 16, number + 2);
        bytes.putLong(at + 24, number + 3);
        bytes.putLong(at + 32, number + 4);
        bytes.putLong(at + 40, number + 5);
        bytes.putLong(at + 48, number + 6);
        bytes.putLong(at + 56, number + 7);
    }

    @Override
    public void close() {
        region.close();
    }
}

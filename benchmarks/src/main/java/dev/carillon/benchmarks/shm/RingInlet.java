package dev.carillon.benchmarks.shm;

import dev.carillon.memory.MemoryRegion;
import dev.carillon.memory.OrderedBytes;
import dev.carillon.shm.ring.EntryHeader;
import dev.carillon.shm.ring.EntryLayout;
import dev.carillon.shm.ring.RingPlace;
import dev.carillon.shm.ring.RingReceiver;

/** Reads messages where they lie, and gives all that it found back with one store. */
final class RingInlet implements Inlet {
    private final MemoryRegion region;
    private final OrderedBytes bytes;
    private final RingReceiver ring;
    private final EntryHeader header = new EntryHeader();
    private final int inlineBytes;

    RingInlet(MemoryRegion region, RingPlace place) {
        this.region = region;
        bytes = region.bytes();
        ring = new RingReceiver(bytes, place, 0);
        inlineBytes = place.inlineBytes();
    }

    @Override
    public int receive(int most, Tally tally) {
        int count = Math.min(ring.available(), most);
        if (count > 0) {
            take(count, tally);
        }
        return count;
    }

    /** Looks that find nothing are many: in one method with them the compiler takes all this for rare, and inlines nothing. */
    private void take(int count, Tally tally) {
        long number = tally.next();
        long wrong = 0;
        long sum = 0;
        for (int i = 0; i < count; i++) {
            int entry = ring.offset(i);
            header.load(bytes, entry, inlineBytes);
            wrong |= (header.id() ^ number) | (header.length() ^ 64);
            number++;
            sum += sum(entry + EntryLayout.HEADER_BYTES);
        }
        ring.release(count);
        tally.messages(count, wrong, sum);
    }

    /** All eight stamps by hand, as in C. */
    private long sum(int at) {
        return bytes.getLong(at)
                + bytes.getLong(at + 8)
                + bytes.getLong(at + 16)
                + bytes.getLong(at + 24)
                + bytes.getLong(at + 32)
                + bytes.getLong(at + 40)
                + bytes.getLong(at + 48)
                + bytes.getLong(at + 56);
    }

    @Override
    public void close() {
        region.close();
    }
}

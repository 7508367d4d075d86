package dev.carillon.benchmarks.shm;

import dev.carillon.memory.MemoryRegion;
import dev.carillon.memory.OrderedBytes;
import dev.carillon.shm.ring.EntryHeader;
import dev.carillon.shm.ring.RingPlace;
import dev.carillon.shm.ring.RingReceiver;
import dev.carillon.shm.slot.SlotPlace;
import dev.carillon.shm.slot.SlotUser;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Takes each message out of its slot, and frees that. */
final class SlotInlet implements Inlet {
    private final Traffic traffic;
    private final MemoryRegion region;
    private final OrderedBytes bytes;
    private final RingReceiver ring;
    private final SlotUser slots;
    private final boolean inPlace;
    private final EntryHeader header = new EntryHeader();
    private final int inlineBytes;
    private final byte[] message;
    private final ByteBuffer stamps;

    SlotInlet(Traffic traffic, MemoryRegion region, RingPlace place, SlotPlace slotPlace, boolean inPlace) {
        this.traffic = traffic;
        this.region = region;
        this.inPlace = inPlace;
        bytes = region.bytes();
        ring = new RingReceiver(bytes, place, 0);
        slots = new SlotUser(bytes, slotPlace, 0);
        inlineBytes = place.inlineBytes();
        message = new byte[traffic.bytes()];
        stamps = ByteBuffer.wrap(message).order(ByteOrder.nativeOrder());
    }

    @Override
    public int receive(int most, Tally tally) {
        if (ring.available() < 1) {
            return 0;
        }
        take(tally);
        return 1;
    }

    /** A method of its own for the same reason as in {@link RingInlet}. */
    private void take(Tally tally) {
        header.load(bytes, ring.offset(0), inlineBytes);
        int slot = header.slot();
        int generation = header.generation();
        int at = slots.hold(slot, generation, header.length());
        ring.release(1);
        long sum = 0;
        if (inPlace) {
            for (int i = 0; i < traffic.stamps(); i++) {
                sum += bytes.getLong(at + i * traffic.stride());
            }
        } else {
            bytes.getBytes(at, message, 0, header.length());
            for (int i = 0; i < traffic.stamps(); i++) {
                sum += stamps.getLong(i * traffic.stride());
            }
        }
        slots.release(slot, generation);
        tally.message(header.id(), sum);
    }

    @Override
    public void close() {
        region.close();
    }
}

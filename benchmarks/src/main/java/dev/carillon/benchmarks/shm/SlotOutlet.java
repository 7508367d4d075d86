package dev.carillon.benchmarks.shm;

import dev.carillon.memory.MemoryRegion;
import dev.carillon.memory.OrderedBytes;
import dev.carillon.shm.ring.EntryLayout;
import dev.carillon.shm.ring.RingPlace;
import dev.carillon.shm.ring.RingSender;
import dev.carillon.shm.slot.SlotPlace;
import dev.carillon.shm.slot.SlotPool;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.concurrent.TimeoutException;

/** Puts each message into a slot, and an entry that names it into the ring. */
final class SlotOutlet implements Outlet {
    private final Traffic traffic;
    private final MemoryRegion region;
    private final OrderedBytes bytes;
    private final RingSender ring;
    private final SlotPool slots;
    private final boolean inPlace;
    private final byte[] message;
    private final ByteBuffer stamps;

    SlotOutlet(Traffic traffic, MemoryRegion region, RingPlace place, SlotPlace slotPlace, boolean inPlace) {
        this.traffic = traffic;
        this.region = region;
        this.inPlace = inPlace;
        bytes = region.bytes();
        ring = new RingSender(bytes, place, 0);
        slots = new SlotPool(bytes, slotPlace, 0);
        message = new byte[traffic.bytes()];
        stamps = ByteBuffer.wrap(message).order(ByteOrder.nativeOrder());
    }

    @Override
    public String address() {
        return CarillonWire.addressOf(region);
    }

    @Override
    public void send(long first, int count, Patience patience) throws TimeoutException {
        for (int i = 0; i < count; i++) {
            send(first + i, patience);
        }
    }

    private void send(long number, Patience patience) throws TimeoutException {
        int slot = slots.claim(traffic.bytes());
        while (slot < 0) {
            patience.again();
            slot = slots.claim(traffic.bytes());
        }
        int at = slots.offset(slot);
        if (inPlace) {
            for (int i = 0; i < traffic.stamps(); i++) {
                bytes.putLong(at + i * traffic.stride(), number + i);
            }
        } else {
            for (int i = 0; i < traffic.stamps(); i++) {
                stamps.putLong(i * traffic.stride(), number + i);
            }
            bytes.putBytes(at, message, 0, message.length);
        }
        slots.send(slot);
        while (ring.freeForData() < 1) {
            patience.again();
        }
        EntryLayout.put(
                bytes,
                ring.offset(0),
                RingOutlet.TYPE,
                0,
                RingOutlet.CHANNEL,
                number,
                traffic.bytes(),
                slot,
                slots.generation(slot));
        ring.publish(1);
    }

    @Override
    public void close() {
        region.close();
    }
}

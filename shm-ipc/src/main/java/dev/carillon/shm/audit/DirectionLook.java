package dev.carillon.shm.audit;

import dev.carillon.memory.OrderedBytes;
import dev.carillon.shm.channel.CreditPlace;
import dev.carillon.shm.channel.FrameCost;
import dev.carillon.shm.ring.EntryHeader;
import dev.carillon.shm.ring.EntryLayout;
import dev.carillon.shm.ring.EntryViolation;
import dev.carillon.shm.segment.DirectionLayout;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One direction of a link, read while both sides may change it.
 *
 * <p>The counters are read before and after everything else. So an entry from the later tail to the earlier head was unread, and
 * did not change, all the time in between: what was read of it and of its slot belongs together, however the sides move.
 *
 * <p><b>Order:</b> tail, head; entries from the newest to the oldest, each before the word of its slot; then all slots, credit, events;
 * then tail and head again.
 */
public final class DirectionLook {
    private final DirectionLayout at;
    private final long firstTail;
    private final long firstHead;
    private final List<EntrySeen> entries;
    private final long[] slots;
    private final List<CreditLine> credits;
    private final EventSeen data;
    private final EventSeen space;
    private final EventSeen slotEvent;
    private final long tail;
    private final long head;

    DirectionLook(OrderedBytes bytes, DirectionLayout at) {
        this.at = at;
        firstTail = bytes.getLongAcquire(at.tail());
        firstHead = bytes.getLongAcquire(at.head());
        entries = entries(bytes);
        slots = new long[at.slots()];
        for (int slot = 0; slot < slots.length; slot++) {
            slots[slot] = bytes.getLongAcquire(at.slotWord(slot));
        }
        credits = credits(bytes);
        data = event(bytes, at.dataEvent());
        space = event(bytes, at.spaceEvent());
        slotEvent = event(bytes, at.slotEvent());
        // The entries were read plainly.
        VarHandle.loadLoadFence();
        tail = bytes.getLongAcquire(at.tail());
        head = bytes.getLongAcquire(at.head());
    }

    private List<EntrySeen> entries(OrderedBytes bytes) {
        List<EntrySeen> seen = new ArrayList<>();
        if (firstHead - firstTail < 0 || firstHead - firstTail > at.ringEntries()) {
            return seen;
        }
        EntryHeader header = new EntryHeader();
        for (long position = firstHead - 1; position - firstTail >= 0; position--) {
            seen.add(entry(bytes, header, position));
        }
        return seen;
    }

    private EntrySeen entry(OrderedBytes bytes, EntryHeader header, long position) {
        int entry = at.entry((int) position & (at.ringEntries() - 1));
        @Nullable String fault = null;
        try {
            header.load(bytes, entry, at.inlineBytes());
        } catch (EntryViolation violation) {
            fault = String.valueOf(violation.getMessage());
        }
        VarHandle.loadLoadFence();
        int slot = header.slot();
        long word = slot >= 0 && slot < at.slots() ? bytes.getLongAcquire(at.slotWord(slot)) : 0;
        return new EntrySeen(
                position,
                fault,
                header.type(),
                header.flags(),
                header.channel(),
                header.id(),
                header.length(),
                fault == null ? slot : EntryLayout.INLINE,
                header.generation(),
                word);
    }

    private List<CreditLine> credits(OrderedBytes bytes) {
        CreditPlace place = new CreditPlace(at.credits(), at.channels(), at.window());
        List<CreditLine> lines = new ArrayList<>(at.channels());
        for (int index = 0; index < at.channels(); index++) {
            int taken = bytes.getIntAcquire(place.taken(index));
            long granted = bytes.getLongAcquire(place.granted(index));
            int reset = bytes.getIntAcquire(place.reset(index));
            boolean stoodStill = bytes.getIntAcquire(place.taken(index)) == taken;
            lines.add(new CreditLine(granted, taken, reset, event(bytes, place.event(index)), stoodStill));
        }
        return lines;
    }

    private static EventSeen event(OrderedBytes bytes, int offset) {
        return new EventSeen(bytes.getIntAcquire(offset), bytes.getIntAcquire(offset + Integer.BYTES));
    }

    /** Where it lies. */
    public DirectionLayout at() {
        return at;
    }

    /** How many entries had been published when it was read, from the start of the counters. */
    public long published() {
        return head - start();
    }

    /** How many entries were unread: at the same moment within the ring, whatever moved. */
    public long unread() {
        return Math.max(0, Math.min(head - tail, at.ringEntries()));
    }

    /** The sender's counter. */
    public long head() {
        return head;
    }

    /** The receiver's counter. */
    public long tail() {
        return tail;
    }

    long firstTail() {
        return firstTail;
    }

    long firstHead() {
        return firstHead;
    }

    /** Where the counters began: no channel has the index 0, so nobody grants anything there. */
    long start() {
        return credits.get(0).granted();
    }

    /** Whether neither side moved a counter. */
    boolean stoodStill() {
        return firstTail == tail && firstHead == head;
    }

    /** Entries that were unread all the time, the newest first. */
    List<EntrySeen> unreadAllTheTime() {
        return entries.stream().filter(entry -> entry.position() - tail >= 0).toList();
    }

    /** All entries that were read, also those that changed meanwhile. */
    List<EntrySeen> entries() {
        return entries;
    }

    /** The word of a slot. */
    public long slotWord(int slot) {
        return slots[slot];
    }

    /** What was granted on a line, from the start of the counters. */
    public long grantedSinceStart(CreditLine line) {
        return line.granted() - start();
    }

    /** What the frames of a channel cost that are unread. */
    public long unreadCost(int channel) {
        return unreadAllTheTime().stream()
                .filter(entry -> entry.fault() == null && entry.channel() == channel)
                .mapToLong(entry -> FrameCost.of(entry.length()))
                .sum();
    }

    /** The lines of credit, by the index of the channel; the one of index 0 is nobody's. */
    public List<CreditLine> credits() {
        return credits;
    }

    /** The receiver waits for entries. */
    public EventSeen data() {
        return data;
    }

    /** The sender waits for room. */
    public EventSeen space() {
        return space;
    }

    /** The sender waits for a slot. */
    public EventSeen slotEvent() {
        return slotEvent;
    }
}

package dev.carillon.shm.slot;

import static dev.carillon.shm.slot.SlotWord.FREE;
import static dev.carillon.shm.slot.SlotWord.HELD;
import static dev.carillon.shm.slot.SlotWord.IN_FLIGHT;

import dev.carillon.memory.OrderedBytes;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;

/**
 * The slots of a direction as its receiver has them: it holds those that entries name, and frees them.
 *
 * <pre>{@code
 * int offset = user.hold(slot, generation, length);           // from the copy of the entry, before the tail moves
 * ... read the bytes ...
 * user.release(slot, generation);
 * }</pre>
 *
 * <p>It counts generations by itself, in private memory: an entry that names a slot in another generation, or one that is
 * held already, is a violation, whatever the shared word says.
 *
 * <p><b>Threading:</b> {@link #hold}: the receiver's thread; {@link #release}: any thread; {@link #held}: any thread.
 *
 * <p><b>Order:</b> to hold is an acquire, and to release a release: the bytes are read between the two.
 */
// r[impl shm.slot]
public final class SlotUser {
    private static final VarHandle WORDS =
            MethodHandles.arrayElementVarHandle(long[].class).withInvokeExactBehavior();

    private final OrderedBytes bytes;
    private final SlotTable table;

    /**
     * Per slot: HELD with its generation, else FREE with the one that the next entry must name. It goes to FREE before the
     * shared word does: an entry with the next generation can come right after that.
     */
    private final long[] known;

    /**
     * The receiver's side of slots that are all free.
     *
     * @param generation of all slots; 0 in fresh memory
     */
    public SlotUser(OrderedBytes bytes, SlotPlace place, int generation) {
        this.bytes = bytes;
        table = new SlotTable(place, bytes);
        known = new long[table.slots()];
        Arrays.fill(known, SlotWord.of(generation, FREE));
    }

    /**
     * Takes a slot that an entry names, before the tail moves over that entry. The arguments come from the private copy of
     * the entry, and may be anything.
     *
     * @return where the bytes begin
     * @throws SlotViolation if there is no such slot, if it is shorter than that, or if it is not in flight in that
     *     generation
     */
    public int hold(int slot, int generation, int length) {
        if (slot < 0 || slot >= known.length) {
            throw SlotViolation.ofReference("there are " + known.length + " slots", slot, generation, length);
        }
        if (length < 0 || length > table.size(slot)) {
            throw SlotViolation.ofReference("the slot has " + table.size(slot) + " bytes", slot, generation, length);
        }
        long mine = (long) WORDS.getAcquire(known, slot);
        if (mine != SlotWord.of(generation, FREE)) {
            String why = "the slot here is " + SlotWord.describe(mine);
            throw SlotViolation.ofReference(why, slot, generation, length);
        }
        long before = SlotWord.of(generation, IN_FLIGHT);
        long after = SlotWord.of(generation, HELD);
        if (!bytes.compareAndSetLong(table.word(slot), before, after)) {
            throw SlotViolation.ofWord(slot, bytes.getLongOpaque(table.word(slot)), mine, "IN_FLIGHT");
        }
        WORDS.setRelease(known, slot, after);
        return table.offset(slot);
    }

    /**
     * Gives a held slot back; its bytes must not be read any more.
     *
     * @param generation the one that it was held in, so that a second release never hits a later use of the slot
     * @throws IllegalStateException if it is not held in that generation
     * @throws SlotViolation if the peer has changed its word; the slot is not held any more then, either
     */
    public void release(int slot, int generation) {
        forget(slot, generation);
        free(slot, generation);
    }

    /** The first step of a release: from here on an entry with the next generation is right. */
    void forget(int slot, int generation) {
        long before = SlotWord.of(generation, HELD);
        if (!WORDS.compareAndSet(known, slot, before, SlotWord.of(generation + 1, FREE))) {
            throw new IllegalStateException("not held: slot=" + slot + " generation="
                    + Integer.toUnsignedString(generation) + " is "
                    + SlotWord.describe((long) WORDS.getAcquire(known, slot)));
        }
    }

    /** The second one: from here on the sender may use the slot. */
    void free(int slot, int generation) {
        long before = SlotWord.of(generation, HELD);
        if (!bytes.compareAndSetLong(table.word(slot), before, SlotWord.of(generation + 1, FREE))) {
            throw SlotViolation.ofWord(slot, bytes.getLongOpaque(table.word(slot)), before, "no change");
        }
    }

    /** How many slots there are. */
    public int slots() {
        return known.length;
    }

    /** How many slots are held; a look at each. */
    public int held() {
        int held = 0;
        for (int slot = 0; slot < known.length; slot++) {
            if (SlotWord.state((long) WORDS.getAcquire(known, slot)) == HELD) {
                held++;
            }
        }
        return held;
    }

    @Override
    public String toString() {
        return "SlotUser[slots=" + slots() + " held=" + held() + "]";
    }
}

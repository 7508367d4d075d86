package dev.carillon.shm.slot;

import static dev.carillon.shm.slot.SlotWord.CLAIMED;
import static dev.carillon.shm.slot.SlotWord.FREE;
import static dev.carillon.shm.slot.SlotWord.HELD;
import static dev.carillon.shm.slot.SlotWord.IN_FLIGHT;

import dev.carillon.memory.OrderedBytes;
import java.util.Arrays;
import java.util.Objects;

/**
 * The slots of a direction as its sender has them, who alone gives them out.
 *
 * <pre>{@code
 * int slot = pool.claim(length);                              // or NONE, or TOO_LARGE
 * ... write the bytes at pool.offset(slot) ...
 * pool.send(slot);                                            // or abort(slot)
 * ... write an entry with slot, pool.generation(slot) and length, and publish it ...
 * }</pre>
 *
 * <p>What it knows is in private memory: which slots are free, in which order the others were sent, and the last word of
 * each. A word in shared memory that is neither that one nor a legal successor is a violation.
 *
 * <p>The receiver frees a slot by its word alone. The sender looks for such words only where a class has no free slot left:
 * first at the slot that was sent first, and if that is still away at the next ones, until it has found some. So a look
 * costs one load where slots come back in order, and one for each slot that is kept for long.
 *
 * <p><b>Threading:</b> one thread at a time, each handing over to the next with a happens-before.
 *
 * <p><b>Order:</b> {@link #send} comes after the bytes and before the entry. To find a slot free is an acquire: what is
 * written there comes after the receiver's reads.
 */
// r[impl shm.slot]
public final class SlotPool {
    /** No slot that is large enough is free. */
    public static final int NONE = SentSlots.NONE;

    /** No slot is large enough, free or not. */
    public static final int TOO_LARGE = -2;

    private final OrderedBytes bytes;
    private final SlotTable table;
    private final FreeSlots free;
    private final SentSlots sent;

    /** The word of each slot, as this side has set it or seen it. */
    private final long[] known;

    /**
     * The sender's side of slots that are all free.
     *
     * @param generation of all slots; 0 in fresh memory
     */
    public SlotPool(OrderedBytes bytes, SlotPlace place, int generation) {
        this.bytes = bytes;
        table = new SlotTable(place, bytes);
        free = new FreeSlots(table);
        sent = new SentSlots(table);
        known = new long[table.slots()];
        Arrays.fill(known, SlotWord.of(generation, FREE));
    }

    /**
     * Takes a free slot of the smallest class into which a message fits, or of a larger one if that has none.
     *
     * @return the slot; {@link #NONE} after a look at all that could have come back; or {@link #TOO_LARGE}
     * @throws SlotViolation if the peer has changed a word that it must not change
     */
    // r[impl shm.slot.classes]
    public int claim(int length) {
        int slot = peek(length);
        if (slot >= 0) {
            take(slot);
        }
        return slot;
    }

    /**
     * Claims the slot that {@link #peek} has just returned. A second look could find another one, which the peer has released
     * meanwhile.
     */
    public void take(int peeked) {
        change(peeked, CLAIMED);
        free.pop(table.classOf(peeked));
    }

    /** What {@link #claim} would return now; nothing is changed in shared memory. */
    public int peek(int length) {
        if (length < 0) {
            throw new IllegalArgumentException("length=" + length);
        }
        int slotClass = table.smallestFor(length);
        if (slotClass == table.classes()) {
            return TOO_LARGE;
        }
        slotClass = withFree(slotClass);
        return slotClass == table.classes() ? NONE : free.peek(slotClass);
    }

    /** Whether {@link #claim} would find a slot now; nothing is changed in shared memory. */
    public boolean hasFree(int length) {
        return withFree(table.smallestFor(length)) < table.classes();
    }

    /** The first class, from one on, that has a free slot; as many as there are classes if none has. */
    private int withFree(int from) {
        int slotClass = from;
        while (slotClass < table.classes() && free.isEmpty(slotClass) && collect(slotClass, false) == 0) {
            slotClass++;
        }
        return slotClass;
    }

    /** The bytes of the largest slots; 0 without slots. */
    public int maxLength() {
        return table.classes() == 0 ? 0 : table.sizeOfClass(table.classes() - 1);
    }

    /** Where the bytes of a slot begin. */
    public int offset(int slot) {
        return table.offset(Objects.checkIndex(slot, known.length));
    }

    /** How many bytes a slot has. */
    public int size(int slot) {
        return table.size(Objects.checkIndex(slot, known.length));
    }

    /** What an entry says beside the slot, so that no entry can mean an earlier or later use of it. */
    public int generation(int slot) {
        return SlotWord.generation(known[slot]);
    }

    /**
     * Hands a claimed slot to the receiver, who learns of it by an entry that is published after this.
     *
     * @throws SlotViolation if the peer has changed its word
     */
    public void send(int slot) {
        requireClaimed(slot);
        change(slot, IN_FLIGHT);
        sent.add(table.classOf(slot), slot);
    }

    /**
     * Takes a claim back; nobody else has seen it, so the generation stays.
     *
     * @throws SlotViolation if the peer has changed its word
     */
    public void abort(int slot) {
        requireClaimed(slot);
        change(slot, FREE);
        free.push(table.classOf(slot), slot);
    }

    /** As {@link #abort}, by any thread: the word alone goes back, since nothing is claimed or sent after this. */
    public void abandon(int slot) {
        long before = known[slot];
        bytes.compareAndSetLong(table.word(slot), before, SlotWord.of(SlotWord.generation(before), FREE));
    }

    /**
     * Looks at every slot that is away, and takes those that have come back; {@link #claim} does by itself what it needs.
     *
     * @return how many have come back
     * @throws SlotViolation if a word is not what a correct peer leaves
     */
    public int collect() {
        int found = 0;
        for (int slotClass = 0; slotClass < table.classes(); slotClass++) {
            found += collect(slotClass, true);
        }
        return found;
    }

    /** How many slots there are. */
    public int slots() {
        return known.length;
    }

    /** How many slots of a class are known to be free. */
    public int free(int slotClass) {
        return free.count(slotClass);
    }

    /** How many slots are known to be free. */
    public int free() {
        int sum = 0;
        for (int slotClass = 0; slotClass < table.classes(); slotClass++) {
            sum += free.count(slotClass);
        }
        return sum;
    }

    /** How many slots are claimed and neither sent nor aborted. */
    public int claimed() {
        return known.length - free() - sent.count();
    }

    /** How many slots are in flight or held, as far as this side has looked. */
    public int away() {
        return sent.count();
    }

    private void requireClaimed(int slot) {
        if (SlotWord.state(known[slot]) != CLAIMED) {
            throw new IllegalStateException("not claimed: slot=" + slot + " is " + SlotWord.describe(known[slot]));
        }
    }

    /** A change that is the sender's to make: nobody else may have touched the word. */
    private void change(int slot, int state) {
        long before = known[slot];
        long after = SlotWord.of(SlotWord.generation(before), state);
        if (!bytes.compareAndSetLong(table.word(slot), before, after)) {
            throw SlotViolation.ofWord(slot, bytes.getLongOpaque(table.word(slot)), before, "no change");
        }
        known[slot] = after;
    }

    /** Takes slots of a class that have come back: all of them, or the first that follow each other in the list. */
    private int collect(int slotClass, boolean all) {
        int found = 0;
        int slot = sent.oldest(slotClass);
        while (slot != NONE) {
            int next = sent.next(slot);
            if (isFree(slot)) {
                sent.remove(slotClass, slot);
                free.push(slotClass, slot);
                found++;
            } else if (found > 0 && !all) {
                return found;
            }
            slot = next;
        }
        return found;
    }

    private boolean isFree(int slot) {
        long before = known[slot];
        long word = bytes.getLongAcquire(table.word(slot));
        if (word == before) {
            return false;
        }
        int generation = SlotWord.generation(before);
        boolean isFree = word == SlotWord.of(generation + 1, FREE);
        if (!isFree && (word != SlotWord.of(generation, HELD) || SlotWord.state(before) != IN_FLIGHT)) {
            throw SlotViolation.ofWord(
                    slot, word, before, "that, HELD after IN_FLIGHT, or FREE with the next generation");
        }
        known[slot] = word;
        return isFree;
    }

    @Override
    public String toString() {
        return "SlotPool[slots=" + slots() + " free=" + free() + " claimed=" + claimed() + " away=" + away() + "]";
    }
}

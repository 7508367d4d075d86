package dev.carillon.shm.slot;

import dev.carillon.shm.fault.PeerViolation;

/**
 * A reference to a slot or the word of a slot is not as a correct peer leaves it.
 */
public final class SlotViolation extends PeerViolation {
    private static final long serialVersionUID = 1L;

    private SlotViolation(String message) {
        super("SLOT", message);
    }

    static SlotViolation ofWord(int slot, long found, long before, String expected) {
        return new SlotViolation("the peer is faulty: the word of slot=" + slot + " is " + SlotWord.describe(found)
                + " and was " + SlotWord.describe(before) + ": expected " + expected);
    }

    static SlotViolation ofReference(String why, int slot, int generation, int length) {
        return new SlotViolation("the peer is faulty: " + why + ": slot=" + slot + " generation="
                + Integer.toUnsignedString(generation) + " length=" + length);
    }
}

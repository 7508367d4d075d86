package dev.carillon.shm.audit;

import static dev.carillon.shm.audit.Rule.SLOTS;

import dev.carillon.shm.ring.EntryLayout;
import dev.carillon.shm.slot.SlotWord;
import java.util.BitSet;

/** The words of the slots of a direction, beside the entries that name them. */
final class SlotCheck {
    private final DirectionLook look;
    private final String name;
    private final Findings findings;
    private final BitSet named = new BitSet();

    SlotCheck(DirectionLook look, String name, Findings findings) {
        this.look = look;
        this.name = name;
        this.findings = findings;
    }

    void check() {
        boolean newerIsHeld = false;
        for (EntrySeen entry : look.unreadAllTheTime()) {
            if (entry.fault() == null
                    && entry.slot() != EntryLayout.INLINE
                    && entry.slot() < look.at().slots()) {
                newerIsHeld = entry(entry, newerIsHeld);
            }
        }
        // Also those that were read meanwhile: their slots are no leftovers.
        look.entries().stream().filter(entry -> entry.slot() >= 0).forEach(entry -> named.set(entry.slot()));
        for (int slot = 0; slot < look.at().slots(); slot++) {
            word(slot);
        }
    }

    /**
     * One that was unread all the time; those after it were looked at before.
     *
     * @return whether this one or one of those is held
     */
    private boolean entry(EntrySeen entry, boolean newerIsHeld) {
        String place = RingCheck.place(name, entry);
        findings.require(
                !named.get(entry.slot()),
                SLOTS,
                place,
                "a later entry that is unread names slot " + entry.slot() + " too");
        named.set(entry.slot());
        int state = SlotWord.state(entry.slotWord());
        boolean isThere = SlotWord.generation(entry.slotWord()) == entry.generation()
                && (state == SlotWord.IN_FLIGHT || state == SlotWord.HELD);
        findings.require(
                isThere,
                SLOTS,
                place,
                "it names slot " + entry.slot() + " in generation " + Integer.toUnsignedString(entry.generation())
                        + ", which is " + SlotWord.describe(entry.slotWord()));
        boolean isHeld = isThere && state == SlotWord.HELD;
        findings.require(
                !newerIsHeld || isHeld || !isThere,
                SLOTS,
                place,
                "its slot is not held, and that of a later entry is; a receiver takes them in their order");
        if (isHeld) {
            findings.underWay(SLOTS, place, "slot " + entry.slot() + " is held, and the entry is unread");
        }
        return newerIsHeld || isHeld;
    }

    private void word(int slot) {
        String place = name + ": slot " + slot;
        long word = look.slotWord(slot);
        switch (SlotWord.state(word)) {
            case SlotWord.FREE, SlotWord.HELD -> {}
            case SlotWord.CLAIMED -> findings.remains(SLOTS, place, "it is claimed and was not sent");
            case SlotWord.IN_FLIGHT -> {
                if (!named.get(slot) && look.stoodStill()) {
                    findings.underWay(SLOTS, place, "it is in flight, and no entry was published that names it");
                }
            }
            default -> findings.violation(SLOTS, place, "its word has no meaning: " + SlotWord.describe(word));
        }
    }
}

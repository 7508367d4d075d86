package dev.carillon.shm.audit;

import static dev.carillon.shm.audit.Rule.SLEEPERS;

import dev.carillon.shm.channel.ChannelId;
import dev.carillon.shm.ring.RingPlace;
import dev.carillon.shm.segment.DirectionLayout;
import dev.carillon.shm.segment.SlotClass;
import dev.carillon.shm.slot.SlotWord;
import java.util.List;

/**
 * The sleep words of a direction, beside what their sleepers wait for. A waiter that finds what it wants at its second look leaves its
 * sleep word, and so does one that dies: a word beside a condition that holds is wrong only where it is known that all who wait
 * sleep.
 */
final class SleepCheck {
    private final DirectionLook look;
    private final DirectionLayout at;
    private final String name;
    private final Findings findings;

    SleepCheck(DirectionLook look, String name, Findings findings) {
        this.look = look;
        this.at = look.at();
        this.name = name;
        this.findings = findings;
    }

    void check() {
        long unread = look.unread();
        event(look.data(), "data", unread > 0, unread + " entries are unread");
        event(look.space(), "space", hasRoom(unread), "the ring has room");
        event(look.slotEvent(), "slots", hasLargestSlot(), "a slot of the largest class is free");
        for (int index = 0; index < at.channels(); index++) {
            CreditLine line = look.credits().get(index);
            boolean isOver = line.reset() != 0 && line.reset() == line.taken();
            event(
                    line.event(),
                    "credit of index " + index,
                    isOver,
                    "channel " + ChannelId.describe(line.reset()) + " was reset");
        }
    }

    private void event(EventSeen event, String of, boolean holds, String condition) {
        String place = name + ": " + of;
        boolean isKnown = findings.require(
                event.sleepWord() >= 0 && event.sleepWord() <= EventSeen.MOST,
                SLEEPERS,
                place,
                "the sleep word " + Integer.toUnsignedString(event.sleepWord()) + " has no meaning");
        if (isKnown && event.hasSleeper() && holds && look.stoodStill()) {
            findings.underWay(SLEEPERS, place, "somebody waits (" + event.sleeper() + "), and " + condition);
        }
    }

    /** Beside what data leaves to control frames, and the entry of a claim that may be open. */
    private boolean hasRoom(long unread) {
        RingPlace ring = new RingPlace(at.head(), at.tail(), at.entries(), at.entryBytes(), at.ringEntries());
        return unread + 1 < at.ringEntries() - ring.reserve();
    }

    /** For smaller ones it is not known whether they are long enough. */
    private boolean hasLargestSlot() {
        List<SlotClass> classes = at.classes();
        int largest = classes.isEmpty() ? 0 : classes.get(classes.size() - 1).count();
        for (int slot = at.slots() - largest; slot < at.slots(); slot++) {
            if (SlotWord.state(look.slotWord(slot)) == SlotWord.FREE) {
                return true;
            }
        }
        return false;
    }
}

package dev.carillon.shm.inspect;

import dev.carillon.shm.audit.DirectionLook;
import dev.carillon.shm.segment.SlotClass;
import dev.carillon.shm.slot.SlotWord;
import java.util.ArrayList;
import java.util.List;

/**
 * The slots of a class by their states; those with a word without meaning are none of these.
 *
 * @param bytes of each
 * @param count how many there are
 */
record SlotFigures(int bytes, int count, int free, int claimed, int inFlight, int held) {
    /** Those of a direction, class by class. */
    static List<SlotFigures> of(DirectionLook look) {
        List<SlotFigures> all = new ArrayList<>();
        int first = 0;
        for (SlotClass each : look.at().classes()) {
            int[] states = new int[SlotWord.HELD + 1];
            for (int slot = first; slot < first + each.count(); slot++) {
                int state = SlotWord.state(look.slotWord(slot));
                if (state >= 0 && state < states.length) {
                    states[state]++;
                }
            }
            first += each.count();
            all.add(new SlotFigures(
                    each.bytes(),
                    each.count(),
                    states[SlotWord.FREE],
                    states[SlotWord.CLAIMED],
                    states[SlotWord.IN_FLIGHT],
                    states[SlotWord.HELD]));
        }
        return all;
    }
}

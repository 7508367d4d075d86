package dev.carillon.shm.inspect;

import dev.carillon.shm.audit.CreditLine;
import dev.carillon.shm.audit.DirectionLook;
import dev.carillon.shm.audit.EventSeen;
import java.util.ArrayList;
import java.util.List;

/**
 * A channel in one direction, as far as its receiver tells.
 *
 * @param id of the channel
 * @param isReset whether the receiver has reset it
 * @param granted all that was ever granted on channels of this index
 * @param unread what the frames in the ring cost
 * @param event its sender waits for credit
 */
record ChannelFigures(int id, boolean isReset, long granted, long unread, EventSeen event) {
    /** Those on which somebody takes data, or has reset it. */
    static List<ChannelFigures> of(DirectionLook look) {
        List<ChannelFigures> all = new ArrayList<>();
        for (CreditLine line : look.credits()) {
            int id = line.taken() != 0 ? line.taken() : line.reset();
            if (id != 0) {
                all.add(new ChannelFigures(
                        id, line.reset() == id, look.grantedSinceStart(line), look.unreadCost(id), line.event()));
            }
        }
        return all;
    }
}

package dev.carillon.shm.channel;

import dev.carillon.memory.OrderedBytes;

/**
 * Where the lines of credit of a direction lie. All that is in a line, but the event count, its receiver writes and its
 * sender reads.
 *
 * <pre>
 *  0 u64 granted: all that the sender may ever have sent on the channels of this index
 *  8 event count of a sender that waits for more
 * 16 u32 taken: the id of the channel whose data the receiver takes; 0 if there is none
 * 20 u32 reset: the id of the channel that the receiver has reset; 0 if there is none
 * </pre>
 *
 * @param offset of the first line
 * @param channels how many lines there are
 * @param window how much may be under way on a channel
 */
public record CreditPlace(int offset, int channels, long window) {
    /** From a line to the next one. */
    public static final int STRIDE = 64;

    private static final int EVENT = 8;
    private static final int TAKEN = 16;
    private static final int RESET = 20;

    /** Refuses what cannot be lines of credit. */
    public CreditPlace {
        boolean fits = offset >= 0 && channels > 0 && offset + (long) channels * STRIDE <= Integer.MAX_VALUE;
        if (!fits || offset % STRIDE != 0 || window < 1) {
            throw new IllegalArgumentException("lines of credit begin at a multiple of 64 and end below 2^31: offset="
                    + offset + " channels=" + channels + " window=" + window);
        }
    }

    /** Where the total is that the receiver has granted. */
    public int granted(int index) {
        return offset + index * STRIDE;
    }

    /** Where the id of the channel is whose data the receiver takes. */
    public int taken(int index) {
        return granted(index) + TAKEN;
    }

    /** Where the id of the channel is that the receiver has reset. */
    public int reset(int index) {
        return granted(index) + RESET;
    }

    /** Where the event count of an index is. */
    public int event(int index) {
        return granted(index) + EVENT;
    }

    /** Lets the totals begin somewhere else than at 0; for the creator, before the peer can see it. */
    public void begin(OrderedBytes bytes, long start) {
        if (start != 0) {
            for (int index = 0; index < channels; index++) {
                bytes.putLong(granted(index), start);
            }
        }
    }

    /** Refuses bytes that end before the lines do, so that no later access can be outside. */
    OrderedBytes in(OrderedBytes bytes) {
        if (granted(channels) > bytes.size()) {
            throw new IllegalArgumentException(
                    "outside the region: end=" + granted(channels) + " size=" + bytes.size());
        }
        return bytes;
    }
}

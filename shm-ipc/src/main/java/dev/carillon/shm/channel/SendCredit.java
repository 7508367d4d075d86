package dev.carillon.shm.channel;

import dev.carillon.memory.OrderedBytes;

/**
 * What this side may still send on one channel.
 *
 * <p>It counts in private memory what it has sent. The total that the peer has granted it reads only if what it knows is not
 * enough, and believes only if a correct peer can have written it.
 *
 * <p><b>Threading:</b> one thread at a time, the one that sends on the channel.
 *
 * <p><b>Order:</b> a look at the total is an acquire: the peer has consumed what it grants anew.
 */
// r[impl shm.credit]
public final class SendCredit {
    private final OrderedBytes bytes;
    private final int id;
    private final int grantedAt;
    private final int takenAt;
    private final int resetAt;
    private final long window;
    private boolean taken;
    private long sent;
    private long granted;

    /**
     * None at first.
     *
     * @param sent what was sent on all channels of this index so far
     */
    SendCredit(OrderedBytes bytes, CreditPlace place, int id, long sent) {
        this.bytes = bytes;
        this.id = id;
        int index = ChannelId.index(id);
        grantedAt = place.granted(index);
        takenAt = place.taken(index);
        resetAt = place.reset(index);
        window = place.window();
        this.sent = sent;
        granted = sent;
    }

    /** Whether so much can be sent now. */
    public boolean covers(long cost) {
        return granted - sent >= cost || available() >= cost;
    }

    /**
     * How much can be sent now, by a look at what the peer has granted.
     *
     * @throws ChannelViolation if no correct peer grants that
     */
    public long available() {
        // A total without the id beside it may be what an earlier channel of this index has left.
        if (!taken && bytes.getIntAcquire(takenAt) != id) {
            return 0;
        }
        taken = true;
        long before = granted;
        long now = bytes.getLongAcquire(grantedAt);
        // From what it was to a whole window: as an unsigned distance that is one comparison, wherever the totals are.
        if (Long.compareUnsigned(now - before, sent + window - before) > 0) {
            throw ChannelViolation.of(
                    "what it grants must be from " + before + " to what was sent + window: granted=" + now + " sent="
                            + sent + " window=" + window,
                    id);
        }
        granted = now;
        return now - sent;
    }

    /** Whether the peer has reset the channel: it says so here, before its frame is read. */
    public boolean isReset() {
        return bytes.getIntAcquire(resetAt) == id;
    }

    /** Uses some of it, which must be covered. */
    public void spend(long cost) {
        if (cost > granted - sent) {
            throw new IllegalArgumentException("not covered: cost=" + cost + " granted=" + granted + " sent=" + sent);
        }
        sent += cost;
    }

    /** The most that can be under way. */
    public long window() {
        return window;
    }

    /** The total that was sent on all channels of this index. */
    long sent() {
        return sent;
    }

    @Override
    public String toString() {
        return "SendCredit[sent=" + sent + " granted=" + granted + (taken ? "" : " not taken") + "]";
    }
}

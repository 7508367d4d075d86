package dev.carillon.shm.channel;

import dev.carillon.memory.OrderedBytes;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * What the peer may still send on one channel, which this side grants.
 *
 * <p>All counting is in private memory; the shared total is a copy that is written and never read. A grant is made when it
 * is half a window or more, and when all that has arrived was consumed: the peer may wait for a whole window then.
 *
 * <p><b>Threading:</b> {@link #arrived}: the thread that receives on the link; {@link #consumed} and the grants: one thread
 * at a time, which takes the frames of the channel; the rest under the lock.
 *
 * <p><b>Order:</b> a grant is a release, after what was consumed was read.
 */
// r[impl shm.credit]
public final class ReceiveCredit {
    private static final VarHandle RECEIVED;

    static {
        try {
            RECEIVED = MethodHandles.lookup().findVarHandle(ReceiveCredit.class, "received", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** Of all channels: a late grant of an earlier channel must not come after the first one of a later channel. */
    private final Object lock;

    private final OrderedBytes bytes;
    private final int id;
    private final int grantedAt;
    private final int takenAt;
    private final int resetAt;
    private final long window;

    private volatile long received;
    private long consumed;
    private volatile long granted;
    private boolean grants;

    /**
     * Nothing is granted at first.
     *
     * @param received what has arrived on all channels of this index so far
     */
    ReceiveCredit(Object lock, OrderedBytes bytes, CreditPlace place, int id, long received) {
        this.lock = lock;
        this.bytes = bytes;
        this.id = id;
        int index = ChannelId.index(id);
        grantedAt = place.granted(index);
        takenAt = place.taken(index);
        resetAt = place.reset(index);
        window = place.window();
        this.received = received;
        consumed = received;
        granted = received;
    }

    /** Grants the first window, and says for which channel. */
    void begin() {
        synchronized (lock) {
            granted = received + window;
            grants = true;
            bytes.putLongRelease(grantedAt, granted);
            bytes.putIntRelease(takenAt, id);
        }
    }

    /** Tells the peer's sender that it need not go on; nothing is granted any more. */
    void refuse() {
        synchronized (lock) {
            grants = false;
            bytes.putIntRelease(resetAt, id);
        }
    }

    /** The peer sends nothing any more; the line is ready for the next channel. */
    void end() {
        synchronized (lock) {
            grants = false;
            bytes.putIntRelease(takenAt, ChannelId.NONE);
            bytes.putIntRelease(resetAt, ChannelId.NONE);
        }
    }

    /**
     * Data has come.
     *
     * @throws ChannelViolation if it is more than was granted
     */
    void arrived(long cost) {
        long total = received + cost;
        if (total - granted > 0) {
            throw ChannelViolation.of(
                    "data of " + cost + " is more than was granted: received=" + received + " granted=" + granted, id);
        }
        RECEIVED.setRelease(this, total);
    }

    /** Data that has come was taken; a grant follows by one of the next methods. */
    public void consumed(long cost) {
        consumed += cost;
    }

    /** Grants what was consumed, if it is half a window. Whether it has: the peer may sleep then. */
    public boolean grantHalf() {
        return due() >= window - window / 2 && publish(due());
    }

    /** Grants what was consumed, if that is all that has come. Whether it has. */
    public boolean grantAll() {
        return due() > 0 && consumed == received && publish(due());
    }

    /**
     * Grants so much.
     *
     * @throws IllegalArgumentException if that is more than was consumed and not granted yet
     */
    public boolean grant(long cost) {
        if (cost < 0 || cost > due()) {
            throw new IllegalArgumentException(
                    "cost=" + cost + ": what was taken and not granted again is " + due() + "; grant what was taken");
        }
        return cost > 0 && publish(cost);
    }

    /** What was consumed and not granted again. */
    private long due() {
        return consumed + window - granted;
    }

    private boolean publish(long more) {
        synchronized (lock) {
            if (!grants) {
                return false;
            }
            granted += more;
            bytes.putLongRelease(grantedAt, granted);
            return true;
        }
    }

    /** The total that has come on all channels of this index. */
    long received() {
        return received;
    }

    @Override
    public String toString() {
        return "ReceiveCredit[received=" + received + " consumed=" + consumed + " granted=" + granted
                + (grants ? "]" : " no more]");
    }
}

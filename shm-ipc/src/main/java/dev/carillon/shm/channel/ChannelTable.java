package dev.carillon.shm.channel;

import dev.carillon.memory.OrderedBytes;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * The channels of a link as one side has them. It knows no ring: it says what is to be sent, and is told what was received.
 *
 * <p><b>Threading:</b> {@link #open}, {@link #accept}, {@link #begin}, {@link #close}, {@link #reset} and {@link
 * #takeControl}: who holds the sending turn of the link, or all of them one thread; {@link #control} and {@link #data}: the
 * thread that receives. Any of the first may run beside one of the second.
 *
 * <p>What no correct peer does is a {@link ChannelViolation}, which ends the link. A correct peer can be late, though: a
 * RESET may cross the last frame of the other side, so one for a channel that has just ended means nothing.
 */
// r[impl shm.channel]
public final class ChannelTable {
    private final boolean host;
    private final OrderedBytes bytes;
    private final CreditPlace sending;
    private final CreditPlace receiving;
    private final long sendStart;
    private final long receiveStart;

    /** By index: the latest channel, over or not, since its totals and its generation go on. */
    private final AtomicReferenceArray<@Nullable ChannelEnd> ends;

    // Queues that grow in an add would lose all they have where the heap is full.
    private final Queue<ControlFrame> control = new ConcurrentLinkedQueue<>();
    private final Queue<ChannelEnd> asked = new ConcurrentLinkedQueue<>();
    private int lastOpened;
    private volatile boolean hasControl;
    private volatile boolean hasAsked;

    /**
     * No channels.
     *
     * @param sendStart where the totals of the direction begin that this side sends in
     * @param receiveStart the same of the other one
     */
    public ChannelTable(
            boolean host,
            OrderedBytes bytes,
            CreditPlace sending,
            CreditPlace receiving,
            long sendStart,
            long receiveStart) {
        this.host = host;
        this.bytes = receiving.in(sending.in(bytes));
        this.sending = sending;
        this.receiving = receiving;
        this.sendStart = sendStart;
        this.receiveStart = receiveStart;
        ends = new AtomicReferenceArray<>(Math.min(sending.channels(), receiving.channels()));
        lastOpened = host ? 0 : -1;
    }

    /** A channel of this side, of the index that was not used for the longest time; null if all are in use. */
    public synchronized @Nullable ChannelEnd open() {
        for (int tried = 0; tried < ends.length(); tried += 2) {
            lastOpened += 2;
            if (lastOpened >= ends.length()) {
                lastOpened = host ? 2 : 1;
            }
            if (lastOpened < ends.length() && isFree(ends.get(lastOpened))) {
                ChannelEnd end = make(nextId(lastOpened), true);
                ends.set(lastOpened, end);
                return end;
            }
        }
        return null;
    }

    /** The oldest channel that the peer has opened and this side has not accepted; null if there is none. */
    public @Nullable ChannelEnd accept() {
        if (!hasAsked) {
            return null;
        }
        synchronized (this) {
            ChannelEnd oldest = asked.poll();
            hasAsked = !asked.isEmpty();
            return oldest;
        }
    }

    /** Whether {@link #accept} may have one. */
    public boolean hasAsked() {
        return hasAsked;
    }

    /** Takes data on a channel from {@link #open} or {@link #accept} from now on, and tells the peer. */
    public synchronized void begin(ChannelEnd end) {
        if (end.isReset()) {
            return;
        }
        send(end.isOurs() ? ControlType.OPEN : ControlType.ACCEPT, end);
        if (!end.isOurs()) {
            // Before the credit: data can come as soon as there is some.
            end.accept();
        }
        end.receiving().begin();
    }

    /** Sends no more data. Whether it did until now. */
    public synchronized boolean close(ChannelEnd end) {
        if (end.isClosed()) {
            return false;
        }
        send(ControlType.CLOSE, end);
        end.close();
        return true;
    }

    /** Neither sends nor receives any more. Whether it did one of both until now. */
    public synchronized boolean reset(ChannelEnd end) {
        if (end.isReset() || (end.isClosed() && end.isPeerEnded())) {
            return false;
        }
        send(ControlType.RESET, end);
        end.reset();
        end.receiving().refuse();
        return true;
    }

    /** The first step of a change: it is the one that can fail for want of memory. Nobody sends it before the last step. */
    // r[impl shm.heap]
    private void send(ControlType type, ChannelEnd end) {
        control.add(new ControlFrame(type, end.id()));
        hasControl = true;
    }

    /** Whether control frames wait to be sent; data of their channels comes after them. */
    public boolean hasControl() {
        return hasControl;
    }

    /** The next frame to be sent. Who takes it has room for it, and sends it before anything else. */
    public synchronized @Nullable ControlFrame takeControl() {
        ControlFrame next = control.poll();
        hasControl = !control.isEmpty();
        if (next != null && (next.type() == ControlType.CLOSE || next.type() == ControlType.RESET)) {
            // Before it is sent: the answer can come at once.
            ChannelEnd end = known(next.id());
            end.end();
            dropLateReset(end);
        }
        return next;
    }

    /**
     * A control frame has come.
     *
     * @return its channel, or null if it means nothing
     * @throws ChannelViolation if no correct peer says that
     */
    public synchronized @Nullable ChannelEnd control(int code, long about) {
        ControlType type = ControlType.of(code);
        int id = (int) about;
        int index = ChannelId.index(id);
        if (about != Integer.toUnsignedLong(id) || index == 0 || index >= ends.length()) {
            throw new ChannelViolation(type + " of a channel that cannot be: " + Long.toUnsignedString(about));
        }
        return switch (type) {
            case OPEN -> peerOpens(id);
            case ACCEPT -> peerAccepts(known(id));
            case CLOSE -> peerCloses(known(id));
            case RESET -> peerResets(id);
        };
    }

    private ChannelEnd peerOpens(int id) {
        int index = ChannelId.index(id);
        if (ChannelId.isHosts(index) == host) {
            throw ChannelViolation.of("OPEN of a channel that is this side's to open", id);
        }
        ChannelEnd before = ends.get(index);
        if (!isFree(before)) {
            throw ChannelViolation.of("OPEN of a channel that is open", id);
        }
        if (id != nextId(index)) {
            throw ChannelViolation.of("OPEN in a generation that does not follow", id);
        }
        ChannelEnd end = make(id, false);
        asked.add(end);
        ends.set(index, end);
        hasAsked = true;
        return end;
    }

    private static ChannelEnd peerAccepts(ChannelEnd end) {
        if (!end.isOurs() || end.isAccepted() || end.isPeerEnded()) {
            throw ChannelViolation.of("ACCEPT of a channel that this side has not asked for", end.id());
        }
        end.accept();
        return end;
    }

    private ChannelEnd peerCloses(ChannelEnd end) {
        if (end.isPeerEnded() || (end.isOurs() && !end.isAccepted())) {
            throw ChannelViolation.of("CLOSE of a channel that the peer does not send on", end.id());
        }
        end.peerClosed();
        dropLateReset(end);
        return end;
    }

    /** Both have ended it: a RESET that is still to be sent could come after the peer has opened the index again. */
    private void dropLateReset(ChannelEnd end) {
        if (end.isFree()) {
            control.removeIf(frame -> frame.id() == end.id());
            hasControl = !control.isEmpty();
        }
    }

    private @Nullable ChannelEnd peerResets(int id) {
        ChannelEnd end = ends.get(ChannelId.index(id));
        if (end != null && end.isOurs() && ChannelId.next(id) == end.id()) {
            return null;
        }
        end = known(id);
        if (!end.isClosed()) {
            send(ControlType.RESET, end);
        }
        end.peerReset();
        // A peer that opens and resets again and again fills no queue.
        asked.remove(end);
        hasAsked = !asked.isEmpty();
        dropLateReset(end);
        return end;
    }

    /**
     * Data has come; that of a channel that was reset is to be dropped.
     *
     * @throws ChannelViolation if no correct peer sends that
     */
    public ChannelEnd data(int id, long cost) {
        int index = ChannelId.index(id);
        ChannelEnd end = index < ends.length() ? ends.getAcquire(index) : null;
        if (end == null || end.id() != id || !end.isAccepted() || end.isPeerEnded()) {
            throw ChannelViolation.of("data on a channel that the peer does not send on", id);
        }
        end.receiving().arrived(cost);
        return end;
    }

    /** How many indices there are, with that of control. */
    public int channels() {
        return ends.length();
    }

    /** The latest channel of an index, if there was one. */
    public @Nullable ChannelEnd latest(int index) {
        return ends.getAcquire(index);
    }

    private ChannelEnd known(int id) {
        ChannelEnd end = ends.get(ChannelId.index(id));
        if (end == null || end.id() != id) {
            throw ChannelViolation.of("a control frame of a channel that is not there", id);
        }
        return end;
    }

    private int nextId(int index) {
        ChannelEnd before = ends.get(index);
        return before == null ? ChannelId.of(1, index) : ChannelId.next(before.id());
    }

    private ChannelEnd make(int id, boolean ours) {
        int index = ChannelId.index(id);
        ChannelEnd before = ends.get(index);
        long sent = before == null ? sendStart : before.sending().sent();
        long received = before == null ? receiveStart : before.receiving().received();
        return new ChannelEnd(
                id,
                ours,
                new SendCredit(bytes, sending, id, sent),
                new ReceiveCredit(this, bytes, receiving, id, received));
    }

    private static boolean isFree(@Nullable ChannelEnd end) {
        return end == null || end.isFree();
    }

    @Override
    public synchronized String toString() {
        StringBuilder all = new StringBuilder("ChannelTable[");
        for (int index = 1; index < ends.length(); index++) {
            ChannelEnd end = ends.get(index);
            if (end != null) {
                all.append(end).append(", ");
            }
        }
        return all + "asked=" + asked.size() + " control=" + control + "]";
    }
}

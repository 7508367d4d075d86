package dev.carillon.shm;

import dev.carillon.ClosedException;
import dev.carillon.futex.EventCount;
import dev.carillon.memory.RegionTruncatedException;
import dev.carillon.shm.FrameRouter.Scope;
import dev.carillon.shm.channel.ChannelEnd;
import dev.carillon.shm.channel.ChannelTable;
import dev.carillon.shm.fault.PeerViolation;
import dev.carillon.sys.Deadlines;
import dev.carillon.sys.LoopThreads;
import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * How frames come to those who receive on one channel of a link.
 *
 * <p>Who waits for a frame of its channel, and finds none, takes what is in the ring: its own frames, and copies of those of
 * other channels into their inboxes. One thread does so at a time; the others wait, and are woken when there is something for
 * them, or the ring is theirs to look at. So no channel holds up another one; and credit bounds what is kept.
 *
 * <p><b>Threading:</b> any thread, but one at a time receives on each channel.
 */
final class ChannelReceiving {
    private final LinkLife life;
    private final LinkReceiver receiver;
    private final ChannelWait waiting;
    private final ChannelTable table;
    private final ChannelDesk desk;
    private final ReentrantLock turn = new ReentrantLock();

    /** A thread has not got the turn, and has to look again when it is free. */
    private volatile boolean missed;

    ChannelReceiving(LinkLife life, LinkReceiver receiver, ChannelWait waiting, ChannelTable table, ChannelDesk desk) {
        this.life = life;
        this.receiver = receiver;
        this.waiting = waiting;
        this.table = table;
        this.desk = desk;
    }

    /** What tells of frames. */
    EventCount data() {
        return receiver.events().data();
    }

    /** The link was not closed, and has not failed. */
    void ensureUsable() {
        life.ensureUsable();
    }

    /** Takes what the peer has said of channels, as far as no data stands before it. False if another thread does. */
    boolean takeControl() {
        return tookAll(Scope.CONTROL);
    }

    /** Whether the peer has opened a channel that was not accepted; takes what is in the ring to know. */
    boolean hasAsked() {
        return table.hasAsked() || hasTaken(table::hasAsked);
    }

    /** Waits for that. */
    boolean awaitAsked(long deadline) throws InterruptedException {
        return waiting.until(data(), this::hasAsked, deadline);
    }

    @Nullable
    Frame receive(ChannelInbox inbox, Duration atMost) throws InterruptedException {
        LoopThreads.ensureMayBlock("ShmChannel.receive");
        life.ensureUsable();
        Frame frame = taken(inbox);
        if (frame != null) {
            return frame;
        }
        BooleanSupplier somethingNew = () ->
                !inbox.isEmpty() || inbox.end().isPeerEnded() || inbox.end().isReset();
        long deadline = Deadlines.after(System.nanoTime(), atMost);
        waiting.until(data(), () -> somethingNew.getAsBoolean() || hasTaken(somethingNew), deadline);
        return taken(inbox);
    }

    /** The next frame that is there; never waits. */
    @Nullable
    Frame tryReceive(ChannelInbox inbox) {
        life.ensureUsable();
        Frame frame = taken(inbox);
        return frame == null && tookAll(Scope.CHANNELS) ? taken(inbox) : frame;
    }

    /** Whether there is a frame, or none will come; takes what is in the ring to know. */
    boolean hasNews(ChannelInbox inbox) {
        return !inbox.isEmpty() || isDrained(inbox) || hasTaken(() -> !inbox.isEmpty() || isDrained(inbox));
    }

    /** Whether nothing more can be received. */
    boolean isDrained(ChannelInbox inbox) {
        ChannelEnd end = inbox.end();
        if (end.isReset()) {
            return true;
        }
        // In this order: what has come before the end is kept by then; before a goodbye, when the ring was looked
        // through.
        boolean hasEnded = end.isPeerEnded() || (!life.carries() && tookAll(Scope.CHANNELS));
        return hasEnded && inbox.isEmpty();
    }

    /** As {@link #isDrained}, for a handler too, and for a link that cannot be used. */
    boolean hasEnded(ChannelInbox inbox) {
        ChannelEnd end = inbox.end();
        if (end.isReset() || (end.isPeerEnded() && inbox.isEmpty()) || !life.isUsable()) {
            return true;
        }
        // The poll under way may find more.
        return !receiver.isPolling() && isDrained(inbox);
    }

    private static @Nullable Frame taken(ChannelInbox inbox) {
        inbox.read();
        Frame frame = inbox.take();
        if (frame != null) {
            inbox.grantAll();
        }
        return frame;
    }

    int poll(ChannelInbox inbox, FrameHandler handler, int limit) {
        if (limit < 0) {
            throw new IllegalArgumentException("limit=" + limit + ": how many frames at most, 0 or more");
        }
        inbox.read();
        life.ensureUsable();
        int kept = inbox.drain(handler, limit);
        return kept + Math.max(0, turned(inbox, handler, limit - kept, Scope.CHANNELS));
    }

    /** Takes what is in the ring, and looks then. */
    private boolean hasTaken(BooleanSupplier condition) {
        return tookAll(Scope.CHANNELS) && condition.getAsBoolean();
    }

    /** Takes what is in the ring, unless another thread does. */
    private boolean tookAll(Scope scope) {
        return turned(null, FrameRouter.NOBODY, Integer.MAX_VALUE, scope) >= 0;
    }

    /**
     * Polls the ring, unless another thread does; that one wakes this one then. No lambdas here: a poll leaves no garbage.
     *
     * @param direct whose frames the handler gets; null: nobody's
     * @return how many it got; -1 if another thread polls
     */
    private int turned(@Nullable ChannelInbox direct, FrameHandler handler, int limit, Scope scope) {
        if (!turn.tryLock()) {
            missed = true;
            // Again, since the other one may have looked at that before.
            if (!turn.tryLock()) {
                return -1;
            }
        }
        try {
            int shown = direct == null ? receiver.poll(handler, limit, scope) : polled(direct, handler, limit, scope);
            life.ensureThere();
            return shown;
        } catch (PeerViolation | RegionTruncatedException | ClosedException | InternalError faulty) {
            throw life.failed(faulty);
        } finally {
            turn.unlock();
            if (missed) {
                missed = false;
                wakeReceivers();
            }
        }
    }

    private int polled(ChannelInbox direct, FrameHandler handler, int limit, Scope scope) {
        // While this thread was without the turn another one may have kept some.
        int kept = direct.drain(handler, limit);
        desk.direct(direct);
        try {
            return kept + receiver.poll(handler, limit - kept, scope);
        } finally {
            desk.direct(null);
        }
    }

    /** Something has changed that those who receive may wait for. */
    void wakeReceivers() {
        try {
            desk.wakeReceivers();
        } catch (ClosedException over) {
            // They have been woken.
        }
    }
}

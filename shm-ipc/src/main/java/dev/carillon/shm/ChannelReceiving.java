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
        return turned(() -> takeAll(Scope.CONTROL));
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
        return frame == null && turned(() -> takeAll(Scope.CHANNELS)) ? taken(inbox) : frame;
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
        boolean hasEnded = end.isPeerEnded() || (!life.carries() && turned(() -> takeAll(Scope.CHANNELS)));
        return hasEnded && inbox.isEmpty();
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
        int[] shown = {kept};
        turned(() -> {
            // While this thread was without the turn another one may have kept some.
            shown[0] += inbox.drain(handler, limit - shown[0]);
            desk.direct(inbox);
            try {
                shown[0] += receiver.poll(handler, limit - shown[0], Scope.CHANNELS);
            } finally {
                desk.direct(null);
            }
        });
        return shown[0];
    }

    /** Takes what is in the ring, and looks then. */
    private boolean hasTaken(BooleanSupplier condition) {
        return turned(() -> takeAll(Scope.CHANNELS)) && condition.getAsBoolean();
    }

    private void takeAll(Scope scope) {
        receiver.poll(FrameRouter.NOBODY, Integer.MAX_VALUE, scope);
    }

    /** Does something with the ring, unless another thread does; that one wakes this one then. */
    private boolean turned(Runnable action) {
        if (!turn.tryLock()) {
            missed = true;
            // Again, since the other one may have looked at that before.
            if (!turn.tryLock()) {
                return false;
            }
        }
        try {
            action.run();
            life.ensureThere();
            return true;
        } catch (PeerViolation | RegionTruncatedException | InternalError faulty) {
            throw life.failed(faulty);
        } finally {
            turn.unlock();
            if (missed) {
                missed = false;
                wakeReceivers();
            }
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

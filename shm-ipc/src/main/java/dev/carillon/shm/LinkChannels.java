package dev.carillon.shm;

import dev.carillon.ClosedException;
import dev.carillon.memory.RegionTruncatedException;
import dev.carillon.shm.FrameRouter.Scope;
import dev.carillon.shm.channel.ChannelEnd;
import dev.carillon.shm.channel.ChannelTable;
import dev.carillon.shm.channel.ChannelViolation;
import dev.carillon.shm.ring.CounterViolation;
import dev.carillon.shm.ring.EntryViolation;
import dev.carillon.shm.segment.FaultySegmentException;
import dev.carillon.shm.slot.SlotViolation;
import dev.carillon.sys.Deadlines;
import dev.carillon.sys.LoopThreads;
import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The channels of a link: how they are opened and accepted, and how frames come to those who receive on one of them.
 *
 * <p>Who waits for a frame of its channel, and finds none, takes what is in the ring: its own frames, and copies of those of
 * other channels into their inboxes. One thread does so at a time; the others wait, and are woken when there is something for
 * them, or the ring is theirs to look at. So no channel holds up another one; and credit bounds what is kept.
 *
 * <p><b>Threading:</b> any thread, but one at a time receives on each channel.
 */
final class LinkChannels {
    private final LinkLife life;
    private final LinkReceiver receiver;
    private final LinkWait waiting;
    private final ChannelTable table;
    private final ChannelDesk desk;
    private final ChannelSending sending;
    private final ReentrantLock turn = new ReentrantLock();

    /** A thread has not got the turn, and has to look again when it is free. */
    private volatile boolean missed;

    /** The channels are waited for on a loop, and not by threads: they share the event counts on which they wait. */
    private volatile boolean onLoop;

    private final ChannelListening listening;

    LinkChannels(
            LinkLife life,
            LinkReceiver receiver,
            LinkWait waiting,
            ChannelTable table,
            ChannelDesk desk,
            ChannelSending sending) {
        this.life = life;
        this.receiver = receiver;
        this.waiting = waiting;
        this.table = table;
        this.desk = desk;
        this.sending = sending;
        listening = new ChannelListening(life, this, sending, receiver.events().data());
        life.alsoWake(desk::wakeAll);
    }

    /** How they are waited for on a loop. */
    ChannelListening listening() {
        return listening;
    }

    void moveToLoop() {
        onLoop = true;
        sending.moveToLoop(true);
    }

    void leaveLoop() {
        onLoop = false;
        sending.moveToLoop(false);
    }

    ShmChannel open() {
        ShmChannel[] opened = new ShmChannel[1];
        sending.change(channels -> {
            ChannelEnd end = channels.open();
            if (end == null) {
                throw new IllegalStateException("all channels that this side can open are in use, of "
                        + (channels.channels() - 1) + " of both sides: close some, on both sides, or give the link more"
                        + " with LinkConfig.channels");
            }
            opened[0] = begin(channels, end);
        });
        return opened[0];
    }

    private ShmChannel begin(ChannelTable channels, ChannelEnd end) {
        ChannelInbox inbox = desk.inbox(end);
        channels.begin(end);
        // The peer may wait for its first credit.
        inbox.wakeSenders();
        return new ShmChannel(inbox, sending, this);
    }

    /** The link was not closed, and has not failed. */
    void ensureUsable() {
        life.ensureUsable();
    }

    @Nullable
    ShmChannel accept(Duration atMost) throws InterruptedException {
        LoopThreads.ensureMayBlock("ShmLink.acceptChannel");
        life.ensureUsable();
        ShmChannel accepted = tryAccept();
        long deadline = Deadlines.after(System.nanoTime(), atMost);
        boolean mayWait = !atMost.isNegative() && !atMost.isZero();
        while (accepted == null && mayWait && until(this::hasAsked, deadline)) {
            accepted = acceptNow();
        }
        return accepted;
    }

    @Nullable
    ShmChannel tryAccept() {
        ShmChannel accepted = acceptNow();
        return accepted == null && turned(() -> takeAll(Scope.CONTROL)) ? acceptNow() : accepted;
    }

    /** Whether the peer has opened a channel that was not accepted; takes what is in the ring to know. */
    boolean hasAsked() {
        return table.hasAsked() || hasTaken(table::hasAsked);
    }

    private @Nullable ShmChannel acceptNow() {
        sending.flushed();
        if (!table.hasAsked()) {
            return null;
        }
        ShmChannel[] accepted = new ShmChannel[1];
        sending.change(channels -> {
            ChannelEnd end = channels.accept();
            accepted[0] = end == null ? null : begin(channels, end);
        });
        return accepted[0];
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
        until(() -> somethingNew.getAsBoolean() || hasTaken(somethingNew), deadline);
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
        } catch (CounterViolation
                | EntryViolation
                | SlotViolation
                | ChannelViolation
                | RegionTruncatedException
                | InternalError faulty) {
            throw life.failed(faulty);
        } finally {
            turn.unlock();
            if (missed) {
                missed = false;
                wakeReceivers();
            }
        }
    }

    private boolean until(BooleanSupplier condition, long deadline) throws InterruptedException {
        try {
            life.ensureUsable();
            if (onLoop) {
                throw onLoop();
            }
            boolean holds = waiting.until(receiver.events().data(), condition, deadline);
            life.ensureThere();
            life.ensureUsable();
            return holds;
        } catch (FaultySegmentException | RegionTruncatedException | InternalError faulty) {
            throw life.failed(faulty);
        }
    }

    static IllegalStateException onLoop() {
        return new IllegalStateException(
                "the channels of this link are waited for on a loop: wait with AsyncChannel, or"
                        + " close the AsyncLink first");
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

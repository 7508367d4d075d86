package dev.carillon.shm;

import dev.carillon.ClosedException;
import dev.carillon.futex.EventCount;
import dev.carillon.memory.RegionTruncatedException;
import dev.carillon.shm.channel.ChannelEnd;
import dev.carillon.shm.channel.ChannelTable;
import dev.carillon.shm.channel.ControlFrame;
import dev.carillon.shm.channel.FrameCost;
import dev.carillon.shm.fault.PeerViolation;
import dev.carillon.sys.Deadlines;
import dev.carillon.sys.LoopThreads;
import java.time.Duration;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What the channels of a link send with. Who sends has the turn; who waits has not, so that no channel holds up another one.
 *
 * <p>Control frames have entries of the ring that data leaves to them. Where even those are full, they wait in the table, and
 * go out before anything else that is sent on channels.
 *
 * <p><b>Threading:</b> any thread, but one at a time for each channel.
 */
final class ChannelSending {
    private final LinkLife life;
    private final LinkSender sender;
    private final ChannelWait waiting;
    private final ChannelTable table;
    private final SendTurn turn;
    private final SenderCheck check;

    /**
     * Sends over a sender.
     *
     * @param check tells plain senders of the link that meet one of a channel
     */
    ChannelSending(
            LinkLife life,
            LinkSender sender,
            ChannelWait waiting,
            ChannelTable table,
            SendTurn turn,
            SenderCheck check) {
        this.life = life;
        this.sender = sender;
        this.waiting = waiting;
        this.table = table;
        this.turn = turn;
        this.check = check;
    }

    /** Changes something in the table, and sends the control frames that come of it. */
    void change(Consumer<ChannelTable> action) {
        guarded(() -> {
            life.ensureUsable();
            action.accept(table);
            flush();
            return true;
        });
    }

    /** Sends control frames that wait, as far as there is room. Whether none waits any more. */
    boolean flushed() {
        return !table.hasControl() || guarded(this::flush);
    }

    private boolean flush() {
        while (table.hasControl()) {
            if (!sender.hasEntryForControl()) {
                return false;
            }
            ControlFrame next = table.takeControl();
            if (next != null) {
                sender.sendControl(next.type().code(), Integer.toUnsignedLong(next.id()));
            }
        }
        return true;
    }

    SendResult trySend(ChannelEnd end, Frame frame) {
        long cost = FrameCost.of(frame.length());
        if (frame.length() > sender.maxLength() || cost > end.sending().window()) {
            return SendResult.TOO_LARGE;
        }
        turn.take();
        try {
            sender.ensureNoBatch();
            return sendNow(end, frame, cost);
        } catch (PeerViolation | RegionTruncatedException | ClosedException | InternalError faulty) {
            throw life.failed(faulty);
        } finally {
            turn.give();
        }
    }

    private SendResult sendNow(ChannelEnd end, Frame frame, long cost) {
        boolean entered = check.enter(life);
        try {
            SendResult obstacle = life.carries() ? obstacle(end, cost) : life.gone();
            return obstacle == null ? life.there(sender.trySend(frame, end, cost)) : obstacle;
        } finally {
            check.exit(entered);
        }
    }

    private @Nullable SendResult obstacle(ChannelEnd end, long cost) {
        if (isReset(end)) {
            return SendResult.CHANNEL_RESET;
        }
        if (end.isClosed()) {
            return SendResult.CHANNEL_CLOSED;
        }
        if (table.hasControl() && !flush()) {
            return SendResult.RING_FULL;
        }
        return end.sending().covers(cost) ? null : SendResult.NO_CREDIT;
    }

    /** What can be sent now. */
    long credit(ChannelEnd end) {
        life.ensureUsable();
        return guarded(() -> isOver(end) ? 0L : end.sending().available());
    }

    /** Whether this side sends nothing on it any more. */
    boolean isOver(ChannelEnd end) {
        return end.isClosed() || isReset(end);
    }

    private static boolean isReset(ChannelEnd end) {
        return end.isReset() || (!end.isFree() && end.sending().isReset());
    }

    /** Waits where {@link #trySend} would have to; the condition is looked at again without the turn. */
    SendResult send(ChannelEnd end, EventCount credit, Frame frame, Duration atMost) throws InterruptedException {
        LoopThreads.ensureMayBlock("ShmChannel.send");
        SendResult result = trySend(end, frame);
        if (!isFull(result)) {
            return result;
        }
        long deadline = Deadlines.after(System.nanoTime(), atMost);
        while (awaitRoom(end, credit, result, frame.length(), deadline)) {
            result = trySend(end, frame);
            if (!isFull(result)) {
                return result;
            }
        }
        return trySend(end, frame);
    }

    /** Whether it is worth to wait after that result. */
    static boolean isFull(SendResult result) {
        return result == SendResult.RING_FULL || result == SendResult.NO_SLOT || result == SendResult.NO_CREDIT;
    }

    private boolean awaitRoom(ChannelEnd end, EventCount credit, SendResult full, int length, long deadline)
            throws InterruptedException {
        return switch (full) {
            case RING_FULL -> waiting.until(space(), this::hasEntry, deadline);
            case NO_SLOT -> waiting.until(slots(), () -> hasSlot(length), deadline);
            default -> await(end, credit, FrameCost.of(length), deadline) != CreditResult.TIMED_OUT;
        };
    }

    // r[impl shm.wakeup.credit-wait]
    CreditResult await(ChannelEnd end, EventCount credit, long cost, long deadline) throws InterruptedException {
        // Nobody grants anything on a channel of which nobody has heard.
        if (!hasNoControl() && !waiting.until(space(), this::hasNoControl, deadline)) {
            return missing(end);
        }
        if (!waiting.until(credit, () -> hasCredit(end, cost), deadline)) {
            return missing(end);
        }
        CreditResult over = over(end);
        if (over != null) {
            return over;
        }
        return guarded(life::carries) ? CreditResult.GRANTED : CreditResult.PEER_GONE;
    }

    private CreditResult missing(ChannelEnd end) {
        life.ensureUsable();
        CreditResult over = over(end);
        if (over != null) {
            return over;
        }
        return life.peerState().isOver() ? CreditResult.PEER_GONE : CreditResult.TIMED_OUT;
    }

    /** How a wait ends now; null if it goes on. */
    @Nullable
    CreditResult creditNow(ChannelEnd end, long cost) {
        CreditResult over = over(end);
        if (over != null) {
            return over;
        }
        if (!guarded(life::carries)) {
            return CreditResult.PEER_GONE;
        }
        return guarded(() -> end.sending().covers(cost)) ? CreditResult.GRANTED : null;
    }

    /** Whether there is so much credit, or never will be. */
    boolean hasCredit(ChannelEnd end, long cost) {
        return isOver(end) || end.sending().covers(cost);
    }

    /** Whether the ring takes data now. */
    boolean hasEntry() {
        return turn.look(() -> flush() && sender.hasEntry());
    }

    boolean hasSlot(int length) {
        return turn.look(() -> sender.hasSlot(length));
    }

    /** Whether all control frames are sent. */
    boolean hasNoControl() {
        return !table.hasControl() || turn.look(this::flush);
    }

    EventCount space() {
        return sender.events().space();
    }

    EventCount slots() {
        return sender.events().slots();
    }

    private @Nullable CreditResult over(ChannelEnd end) {
        if (end.isReset()) {
            return CreditResult.RESET;
        }
        if (end.isClosed()) {
            return CreditResult.CLOSED;
        }
        return guarded(() -> isReset(end)) ? CreditResult.RESET : null;
    }

    private <T> T guarded(Supplier<T> action) {
        turn.take();
        try {
            return life.there(action.get());
        } catch (PeerViolation | RegionTruncatedException | ClosedException | InternalError faulty) {
            throw life.failed(faulty);
        } finally {
            turn.give();
        }
    }

    /** Ends something of a channel; on a link that was closed there is nobody to tell. */
    void end(Consumer<ChannelTable> action) {
        turn.take();
        try {
            action.accept(table);
            flush();
        } catch (ClosedException over) {
            // The link has gone before.
        } catch (PeerViolation | RegionTruncatedException | InternalError faulty) {
            throw life.failed(faulty);
        } finally {
            turn.give();
        }
    }
}

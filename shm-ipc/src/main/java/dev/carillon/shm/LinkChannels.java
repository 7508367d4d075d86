package dev.carillon.shm;

import dev.carillon.shm.channel.ChannelEnd;
import dev.carillon.shm.channel.ChannelTable;
import dev.carillon.sys.Deadlines;
import dev.carillon.sys.LoopThreads;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The channels of a link: how they are opened and accepted, and whether threads or a loop wait for them.
 *
 * <p><b>Threading:</b> any thread.
 */
final class LinkChannels {
    private final ChannelReceiving receiving;
    private final ChannelSending sending;
    private final ChannelWait waiting;
    private final ChannelListening listening;
    private final ChannelTable table;
    private final ChannelDesk desk;

    LinkChannels(
            LinkLife life,
            ChannelReceiving receiving,
            ChannelSending sending,
            ChannelWait waiting,
            ChannelTable table,
            ChannelDesk desk) {
        this.receiving = receiving;
        this.sending = sending;
        this.waiting = waiting;
        this.table = table;
        this.desk = desk;
        listening = new ChannelListening(life, receiving, sending);
        life.alsoWake(desk::wakeAll, desk::wakeSignalled);
    }

    /** How they are waited for on a loop. */
    ChannelListening listening() {
        return listening;
    }

    void moveToLoop() {
        waiting.onLoop(true);
    }

    void leaveLoop() {
        waiting.onLoop(false);
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
        return new ShmChannel(inbox, sending, receiving);
    }

    @Nullable
    ShmChannel accept(Duration atMost) throws InterruptedException {
        LoopThreads.ensureMayBlock("ShmLink.acceptChannel");
        receiving.ensureUsable();
        ShmChannel accepted = tryAccept();
        long deadline = Deadlines.after(System.nanoTime(), atMost);
        boolean mayWait = !atMost.isNegative() && !atMost.isZero();
        while (accepted == null && mayWait && receiving.awaitAsked(deadline)) {
            accepted = acceptNow();
        }
        return accepted;
    }

    @Nullable
    ShmChannel tryAccept() {
        ShmChannel accepted = acceptNow();
        return accepted == null && receiving.takeControl() ? acceptNow() : accepted;
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
}

package dev.carillon.shm;

import dev.carillon.ClosedException;
import dev.carillon.futex.EventCount;
import dev.carillon.memory.RegionTruncatedException;
import dev.carillon.shm.channel.ChannelEnd;
import dev.carillon.shm.channel.FrameCost;
import dev.carillon.shm.fault.PeerViolation;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * How this side waits for its channels without a thread: it looks, announces that it listens for the bell, and looks again.
 *
 * <p>The channels share what tells of frames, entries and slots; so all of them are waited for on the loop, or none.
 *
 * <p><b>Threading:</b> for each channel that of the half it waits for.
 *
 * <p><b>Order:</b> as in {@link LinkListening}. What another thread of this side changes it tells the loop after that.
 */
final class ChannelListening {
    private final LinkLife life;
    private final ChannelReceiving receiving;
    private final ChannelSending sending;

    ChannelListening(LinkLife life, ChannelReceiving receiving, ChannelSending sending) {
        this.life = life;
        this.receiving = receiving;
        this.sending = sending;
    }

    /** The next frame that is there; never waits. */
    @Nullable
    Frame tryReceive(ChannelInbox inbox) {
        return receiving.tryReceive(inbox);
    }

    /** Whether nothing more can be received. */
    boolean isDrained(ChannelInbox inbox) {
        return checked(() -> receiving.isDrained(inbox));
    }

    /** Whether the channel has a frame or will have none; if not, the peer rings when that changes. */
    boolean dataOrListen(ChannelInbox inbox) {
        return orListen(receiving.data(), () -> receiving.hasNews(inbox));
    }

    /** Whether there is a channel to accept or the link is over; if not, the peer rings when that changes. */
    boolean askedOrListen() {
        return orListen(receiving.data(), () -> receiving.hasAsked() || !life.carries());
    }

    /** How a wait for so much credit ends now; null if it goes on. */
    @Nullable
    CreditResult creditNow(ChannelInbox inbox, long cost) {
        life.ensureUsable();
        return sending.creditNow(inbox.end(), cost);
    }

    /** Whether there is so much credit or never will be; if not, the peer rings when that changes. */
    // r[impl shm.wakeup.credit-wait]
    boolean creditOrListen(ChannelInbox inbox, long cost) {
        ChannelEnd end = inbox.end();
        // Nobody grants anything on a channel of which nobody has heard.
        return orListen(sending.space(), () -> sending.hasNoControl() || isOver(end))
                && orListen(inbox.credit(), () -> sending.hasCredit(end, cost) || !life.carries());
    }

    /** Whether a frame of that length can be sent or never will be; if not, the peer rings when that changes. */
    boolean roomOrListen(ChannelInbox inbox, int length) {
        ChannelEnd end = inbox.end();
        return creditOrListen(inbox, FrameCost.of(length))
                && orListen(sending.space(), () -> sending.hasEntry() || isOver(end))
                && orListen(sending.slots(), () -> sending.hasSlot(length) || isOver(end));
    }

    /** A reset by the peer that nobody has read here is in the line of credit. */
    private boolean isOver(ChannelEnd end) {
        return sending.isOver(end) || !life.carries();
    }

    private boolean orListen(EventCount event, BooleanSupplier look) {
        return checked(() -> {
            if (look.getAsBoolean()) {
                return true;
            }
            event.prepareToListen();
            return look.getAsBoolean();
        });
    }

    private boolean checked(BooleanSupplier look) {
        life.ensureUsable();
        try {
            return life.there(look.getAsBoolean());
        } catch (PeerViolation | RegionTruncatedException | ClosedException | InternalError faulty) {
            throw life.failed(faulty);
        }
    }
}

package dev.carillon.shm;

import dev.carillon.ClosedException;
import dev.carillon.loop.EventLoop;
import dev.carillon.loop.TimerHandle;
import dev.carillon.shm.doorbell.Doorbell;
import java.lang.ref.WeakReference;
import java.time.Duration;

/**
 * The time that a link waits for its guest.
 *
 * <p>Nobody tells when the guest attaches, so the time runs out in any case, and then changes nothing.
 *
 * <p><b>Threading:</b> any thread.
 */
final class Reservation {
    private final EventLoop loop;
    private final Duration time;

    /** A link that is closed and forgotten gives its addresses back, and does not wait for this timer to do so. */
    private final WeakReference<ShmLink> link;

    /** The guest's end, which nobody can use afterwards. */
    private final Doorbell guestBell;

    private TimerHandle timer;

    /**
     * Begins to count.
     *
     * @throws java.util.concurrent.RejectedExecutionException if the loop is stopping or has ended
     */
    Reservation(EventLoop loop, Duration time, ShmLink link, Doorbell guestBell) {
        this.loop = loop;
        this.time = time;
        this.link = new WeakReference<>(link);
        this.guestBell = guestBell;
        timer = loop.schedule(time, this::isOver);
    }

    /** Begins to count anew: only now the guest is on its way. */
    synchronized void restart() {
        if (timer.cancel()) {
            timer = loop.schedule(time, this::isOver);
        }
    }

    // r[impl shm.link-word]
    private void isOver() {
        try {
            endLink();
        } finally {
            guestBell.close();
        }
    }

    private void endLink() {
        ShmLink waiting = link.get();
        if (waiting == null) {
            return;
        }
        try {
            waiting.endReservation();
        } catch (ClosedException before) {
            // Then it waits for no guest.
        }
    }
}

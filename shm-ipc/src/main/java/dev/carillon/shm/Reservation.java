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
 * <p>Nobody tells when the guest attaches, so the time of a link that is open runs out in any case, and then changes nothing.
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
    private State state = State.RUNNING;

    /** How often the time was begun anew. */
    private int round;

    /** The time has come to its end, be it in a pause. */
    private boolean wasDue;

    private enum State {
        RUNNING,
        PAUSED,
        OVER
    }

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
        timer = start();
    }

    /** A timer that a later one has replaced ends nothing, even if it was due before. */
    private TimerHandle start() {
        int mine = round;
        return loop.schedule(time, () -> isOver(mine));
    }

    /**
     * A guest is being started: the time goes on, and does not end anything before {@link #restart} or {@link #goOn}.
     *
     * @return false if it is over, or a guest is being started already
     */
    synchronized boolean pause() {
        boolean pauses = state == State.RUNNING;
        if (pauses) {
            state = State.PAUSED;
        }
        return pauses;
    }

    /** No guest was started. */
    void goOn() {
        boolean late;
        int mine;
        synchronized (this) {
            late = wasDue;
            mine = round;
            state = state == State.PAUSED ? State.RUNNING : state;
        }
        if (late) {
            isOver(mine);
        }
    }

    /** Begins to count anew: only now the guest is on its way. */
    synchronized void restart() {
        if (state != State.OVER) {
            timer.cancel();
            wasDue = false;
            state = State.RUNNING;
            round++;
            timer = start();
        }
    }

    /** The link is closed: nobody attaches any more, and nothing of it is kept until the time is over. */
    void close() {
        try {
            cancel();
        } finally {
            guestBell.close();
        }
    }

    private synchronized void cancel() {
        state = State.OVER;
        timer.cancel();
    }

    // r[impl shm.link-word]
    private void isOver(int which) {
        if (!ends(which)) {
            return;
        }
        try {
            endLink();
        } finally {
            guestBell.close();
        }
    }

    /** Before the link says so: whoever sees that it is over starts no guest with it. */
    private synchronized boolean ends(int which) {
        wasDue |= which == round;
        boolean ends = which == round && state == State.RUNNING;
        if (ends) {
            state = State.OVER;
        }
        return ends;
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

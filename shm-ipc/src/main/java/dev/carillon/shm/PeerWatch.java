package dev.carillon.shm;

import dev.carillon.ClosedException;
import dev.carillon.SyscallException;
import dev.carillon.loop.EventLoop;
import dev.carillon.loop.Watch;
import dev.carillon.process.Child;
import dev.carillon.process.ProcessWatch;
import dev.carillon.shm.doorbell.Doorbell;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Watches the other side of a link on a loop: the bell, which rings, and hangs up when nobody has its other end any more; and
 * the process. When the peer is gone it ends all waits of this side.
 *
 * <p>It begins with the first wait that sleeps, and takes three descriptors then: copies of the bell and of the pidfd for the
 * loop, and the pidfd. Until the loop has confirmed it, as where no descriptor is left, {@link #isWatched} is false: those who
 * wait sleep for a short time only, and each time it looks itself, and tries again.
 *
 * <p>States: IDLE -> BEGUN (the loop is asked) -> WATCHED (it has confirmed) -> OVER (the peer is gone, or this side has closed).
 * Back to IDLE when the watching fails, its loop ends, or another loop takes over.
 *
 * <p><b>Threading:</b> any thread, under this object's lock; the listener is called without it. No call under it blocks.
 *
 * <p><b>Ownership:</b> the link's, which closes it before it closes bell and memory.
 */
// r[impl shm.wait.all-transitions]
final class PeerWatch implements BellWatch.Owner {
    // What was heard of a bell.
    private static final int RUNG = 1;
    private static final int HUNG_UP = 2;

    private final Doorbell bell;
    private final BellReader reader;
    private final LinkStatus status;
    private final PeerProcess process;
    private final LinkSleepers sleepers;
    private final PeerEnd end;

    /** Null is the shared one. */
    private @Nullable EventLoop loop;

    /** The present watch of the bell: what comes late from an earlier one is known by it. */
    private @Nullable BellWatch present;

    /** Tells the end of a peer that was started here. */
    private @Nullable Watch childExit;

    private boolean over;
    private volatile boolean watched;
    private volatile @Nullable PeerListener listener;

    /** Does not watch yet. */
    PeerWatch(Doorbell bell, LinkStatus status, PeerProcess process, LinkSleepers sleepers) {
        this.bell = bell;
        reader = new BellReader(bell);
        this.status = status;
        this.process = process;
        this.sleepers = sleepers;
        end = new PeerEnd(status, process);
    }

    /** Whether those who wait will be woken when the peer is gone. If not, it looks now, and they look again after a short time. */
    boolean isWatched() {
        if (watched) {
            return true;
        }
        begin();
        look();
        return watched;
    }

    /** Whether the loop has confirmed, and nothing can happen of which it is not told; nothing is begun or looked at. */
    boolean isConfirmed() {
        return watched && !status.canBeLost();
    }

    /** For those who do not wait: what they ask is up to date, and nothing begins. */
    void lookUnlessWatched() {
        if (!watched) {
            look();
        }
    }

    private synchronized void begin() {
        if (over) {
            return;
        }
        try {
            EventLoop on = loop != null ? loop : EventLoop.shared();
            BellWatch mine = present != null ? present : watchBell(on);
            mine.confirm(on);
        } catch (RejectedExecutionException ends) {
            // The given loop takes nothing any more, or is full: the shared one is asked next time.
            loop = null;
        } catch (SyscallException memoryOrDescriptorsAreShort) {
            // There is no shared loop yet. Not watched: who waits looks again.
            watched = false;
        }
    }

    private BellWatch watchBell(EventLoop on) {
        BellWatch mine = new BellWatch(this);
        present = mine;
        boolean begun = false;
        try {
            mine.begin(on, bell.fd());
            begun = true;
            return mine;
        } finally {
            if (!begun) {
                present = null;
            }
        }
    }

    /** On the loop thread, which watches the bell by now: the process too, if its number is known. */
    @Override
    public void confirmed(BellWatch mine) {
        ProcessWatch begun;
        synchronized (this) {
            if (over || mine != present) {
                return;
            }
            begun = process.begin(EventLoop.current());
            watched |= process.isSettled();
        }
        if (begun != null) {
            var unused = begun.exited().whenComplete((nothing, why) -> exited(begun, why));
        }
        loseIf(() -> mine == present && !process.isSettled());
    }

    /** The process has ended, or its watch has. */
    private void exited(ProcessWatch ended, @Nullable Throwable why) {
        if (why == null) {
            end(true);
        } else {
            loseIf(() -> process.forget(ended));
        }
    }

    /** This process has started the peer, so it learns of its end in any case; who else has the bell then is not the peer. */
    void endWith(Child child) {
        Watch exit = child.onExit((status, why) -> {
            if (!(why instanceof ClosedException)) {
                end(true);
            }
        });
        synchronized (this) {
            if (!over) {
                childExit = exit;
                return;
            }
        }
        exit.close();
    }

    @Override
    public void failed(BellWatch which, Throwable why) {
        loseIf(() -> {
            boolean isPresent = which == present;
            if (isPresent) {
                present = null;
                loop = why instanceof ClosedException ? null : loop;
            }
            return isPresent;
        });
    }

    /** Those who sleep without end begin to sleep for a short time. Those who do that already must not be woken for it. */
    private void loseIf(BooleanSupplier lost) {
        synchronized (this) {
            if (!lost.getAsBoolean() || !watched || over) {
                return;
            }
            watched = false;
            sleepers.wakeAll();
        }
        tell();
    }

    @Override
    public void ready(BellWatch mine) {
        int heard = hear(mine);
        if ((heard & RUNG) != 0) {
            // A guest rings when it has attached: now it has a number.
            confirmed(mine);
            PeerListener told = listener;
            if (told != null) {
                told.rung();
            }
        }
        if ((heard & HUNG_UP) != 0) {
            end(false);
        }
    }

    /** Looks at the bell, on any thread. */
    void look() {
        int heard = hear(null);
        if ((heard & RUNG) != 0) {
            tell();
        }
        if ((heard & HUNG_UP) != 0) {
            end(false);
        }
    }

    /**
     * Reads the bell, and wakes those whom the peer could not wake.
     *
     * @param mine the watch that has called; null if another thread looks
     */
    private synchronized int hear(@Nullable BellWatch mine) {
        if (over) {
            return 0;
        }
        reader.read();
        if (reader.hasRung()) {
            sleepers.wakeSignalled();
        }
        int heard = (reader.hasRung() ? RUNG : 0) | (reader.hasHungUp() ? HUNG_UP : 0);
        if (mine == null && reader.hasRung() && present != null) {
            // The loop does not hear it any more, and a guest rings when it has a number.
            begin();
        } else if (mine != null && mine == present && reader.hasLeftSome()) {
            mine.again();
        }
        return heard;
    }

    /**
     * The peer is gone: from now on no wait of this side begins, and those that sleep look at what was published.
     *
     * @param exited whether its process has ended; else its bell has hung up
     */
    private void end(boolean exited) {
        synchronized (this) {
            if (over) {
                return;
            }
            end.note(exited);
            sleepers.wakeAll();
            finish();
        }
        tell();
        end.follow(exited);
    }

    /** As {@link PeerEnd#whenDead}. */
    void whenDead(Runnable action) {
        end.whenDead(action);
    }

    /** Nothing is watched any more. */
    private void finish() {
        over = true;
        watched = true;
        if (childExit != null) {
            childExit.close();
            childExit = null;
        }
        drop();
    }

    private void drop() {
        BellWatch ended = present;
        present = null;
        try {
            if (ended != null) {
                ended.end();
            }
        } finally {
            process.close();
        }
    }

    /**
     * Tells a listener from now on, and watches on its loop.
     *
     * @throws IllegalStateException if there is one already
     */
    void listen(EventLoop on, PeerListener to) {
        synchronized (this) {
            if (listener != null) {
                throw new IllegalStateException("the link lives on a loop already, which is told of each ring; close"
                        + " the AsyncLink that there is before another one is made");
            }
            listener = to;
            loop = on;
            if (!over) {
                drop();
            }
        }
        loseIf(() -> true);
        isWatched();
    }

    /** Tells this listener no more; the watching goes on where it is. */
    synchronized void forget(PeerListener gone) {
        if (listener == gone) {
            listener = null;
        }
    }

    /** The link has changed, by this side or by the other one. */
    void tell() {
        PeerListener told = listener;
        if (told != null) {
            told.changed();
        }
    }

    /** This side closes the link. */
    void close() {
        synchronized (this) {
            if (!over) {
                finish();
            }
        }
        end.close();
        PeerListener told = listener;
        if (told != null) {
            told.closed();
        }
    }
}

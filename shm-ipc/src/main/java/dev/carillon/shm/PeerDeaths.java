package dev.carillon.shm;

import dev.carillon.loop.EventLoop;
import dev.carillon.loop.TimerHandle;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Tells a handler of each guest of a host that dies, once.
 *
 * <p>Links begin to watch their peers with the first wait that sleeps. Here they are asked to do so without one; and as a watch
 * can end, or find no descriptor, they are asked again every now and then.
 *
 * <p><b>Threading:</b> any thread; the handler is called on the loop.
 */
// r[impl shm.death.told]
final class PeerDeaths {
    /** As long as a link is not watched. */
    private static final Duration SOON = Duration.ofMillis(20);

    private static final Duration LATER = Duration.ofSeconds(1);

    private final Supplier<EventLoop> loops;
    private final Supplier<List<ShmLink>> links;
    private @Nullable PeerDeathHandler handler;
    private @Nullable TimerHandle timer;
    private boolean closed;

    /**
     * Tells nobody yet.
     *
     * @param links those that are open
     */
    PeerDeaths(Supplier<EventLoop> loops, Supplier<List<ShmLink>> links) {
        this.loops = loops;
        this.links = links;
    }

    /** From now on that handler is told, also of links that are open and whose guests have died before. */
    void tell(PeerDeathHandler newHandler) {
        synchronized (this) {
            if (handler != null) {
                throw new IllegalStateException(
                        "onPeerDeath: this host tells a handler already; have that one tell others");
            }
            handler = newHandler;
        }
        links.get().forEach(this::ask);
        look();
    }

    /** A link was made. Nobody has to keep an eye on it as long as there is no handler. */
    void add(ShmLink link) {
        if (isAsked()) {
            ask(link);
            look();
        }
    }

    private void ask(ShmLink link) {
        LinkPeer peer = link.peer();
        peer.whenDead(pid -> died(new PeerDeath(link, pid, peer.incarnation())));
    }

    private synchronized boolean isAsked() {
        return handler != null && !closed;
    }

    /** Without this object's lock: a link that is looked at may find its peer dead, and comes here. */
    private void look() {
        boolean all = true;
        for (ShmLink link : links.get()) {
            all &= link.peer().isWatched() || !link.isOpen();
        }
        schedule(all ? LATER : SOON);
    }

    private synchronized void schedule(Duration next) {
        if (timer != null) {
            timer.cancel();
        }
        try {
            timer = closed ? null : loops.get().schedule(next, this::look);
        } catch (RejectedExecutionException ends) {
            timer = null; // and nobody could be told there
        }
    }

    private void died(PeerDeath death) {
        try {
            loops.get().execute(() -> tellNow(death));
        } catch (RejectedExecutionException ends) {
            return; // as above
        }
    }

    private void tellNow(PeerDeath death) {
        PeerDeathHandler told;
        synchronized (this) {
            told = closed ? null : handler;
        }
        if (told != null) {
            told.onPeerDeath(death);
        }
    }

    /** Nobody is told any more. */
    synchronized void close() {
        closed = true;
        if (timer != null) {
            timer.cancel();
        }
    }
}

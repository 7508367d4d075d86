package dev.carillon.shm;

import dev.carillon.process.Child;
import java.util.function.IntConsumer;

/**
 * What a host has to do with the process on the other side of a link.
 *
 * <p><b>Threading:</b> any thread.
 */
final class LinkPeer {
    private final LinkStatus status;
    private final PeerWatch watch;
    private final PeerProcess process;

    LinkPeer(LinkStatus status, PeerWatch watch, PeerProcess process) {
        this.status = status;
        this.watch = watch;
        this.process = process;
    }

    /** The kernel has told which process the guest is; 0 is one that cannot be seen from here. */
    void isKnownAs(int pid) {
        process.isKnownAs(pid);
    }

    /** Whether this process is about to start it: from then on nothing that it writes says which process it is. */
    void isToBeSpawned(boolean will) {
        process.isToBeSpawned(will);
    }

    /** This process has started it; with that child it ends. */
    void isSpawnedAs(Child child) {
        process.isSpawnedAs(child);
        watch.endWith(child);
    }

    /**
     * Calls that once, with the pid, when the peer has died and its process is gone: on whatever thread finds out, so it does not
     * block.
     */
    void whenDead(IntConsumer action) {
        watch.whenDead(() -> action.accept(process.pid()));
    }

    /** How often the id of the peer was used. */
    int incarnation() {
        return status.incarnation();
    }

    /** Whether a death will be found by itself. If not, this looks now, and begins to watch. */
    boolean isWatched() {
        return watch.isWatched();
    }
}

package dev.carillon.shm;

import dev.carillon.process.Child;
import dev.carillon.process.ProcessWatch;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * What follows when the other side of a link is gone: its death is told, once, when its process is gone.
 *
 * <p>A process that has only let go of its bell may run on. Its watch is kept until it ends; a child of this process is killed,
 * unless it had a good reason: whose memory is lost cannot say goodbye.
 *
 * <p><b>Threading:</b> any thread; {@link #note} under the lock of its owner.
 *
 * <p><b>Ownership:</b> that of its {@link PeerWatch}.
 */
// r[impl shm.death]
final class PeerEnd {
    private final LinkStatus status;
    private final PeerProcess process;

    /** The watch of a process that has let go of its bell; null if there is none. */
    private volatile @Nullable ProcessWatch leaving;

    /** It has died, and its process is gone. */
    private volatile boolean isGone;

    /** What its death does; null if nothing, or it was done. */
    private final AtomicReference<@Nullable Runnable> onDeath = new AtomicReference<>();

    PeerEnd(LinkStatus status, PeerProcess process) {
        this.status = status;
        this.process = process;
    }

    /** Does that once, when the peer has died and its process is gone, on the thread that finds out, or now. It must not block. */
    void whenDead(Runnable action) {
        onDeath.set(action);
        tell();
    }

    /**
     * The peer is gone. Its process goes on being watched if it may run on.
     *
     * @param exited whether its process has ended; else its bell has hung up
     */
    void note(boolean exited) {
        process.keepPid();
        status.peerHasEnded(process.isStartedHere());
        leaving = exited || !mayBeDeath() ? null : process.handOver();
    }

    /** No goodbye was read. */
    // r[impl shm.lost-memory]
    private boolean mayBeDeath() {
        return status.hasDied() || status.isLost();
    }

    /** Comes after {@link #note}, without the lock. */
    void follow(boolean exited) {
        if (!mayBeDeath()) {
            return;
        }
        boolean isLost = status.isLost();
        ProcessWatch leaves = leaving;
        Child child = process.child();
        if (exited) {
            gone();
        } else if (child != null) {
            Quarantine.begin(child.exit(), isLost ? null : child, this::gone);
        } else if (leaves != null) {
            Quarantine.begin(leaves.exited(), null, () -> {
                leaves.close();
                gone();
            });
        } else if (!isLost) {
            gone();
        }
    }

    /** As far as can be known. */
    private void gone() {
        isGone = true;
        tell();
    }

    private void tell() {
        Runnable action = isGone ? onDeath.getAndSet(null) : null;
        if (action != null) {
            action.run();
        }
    }

    /**
     * This side closes the link. It does not wait for the end of a process that has let go of its bell: whoever attaches again and
     * again would cost a descriptor each time. One that is to be killed is waited for.
     */
    void close() {
        ProcessWatch leaves = leaving;
        if (status.isLost()) {
            onDeath.set(null);
        }
        if (leaves != null) {
            leaves.close();
            gone();
        }
    }
}

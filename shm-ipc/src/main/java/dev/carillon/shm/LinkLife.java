package dev.carillon.shm;

import dev.carillon.ClosedException;
import dev.carillon.shm.doorbell.Doorbell;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Whether this end of a link can be used, and how it stops: closed by its owner, or failed by what the peer wrote.
 *
 * <p>Whoever uses the link's memory asks here first, and brings here what it threw.
 *
 * <p><b>Threading:</b> any thread.
 */
final class LinkLife {
    private final int peerId;
    private final LinkStatus status;
    private final PeerWatch peer;
    private final Doorbell bell;
    private final LinkEvents outgoing;
    private final LinkEvents incoming;
    private final AtomicBoolean closed = new AtomicBoolean();
    private volatile @Nullable RuntimeException failure;

    /** Wakes those who wait for other things than the directions have. */
    private volatile Runnable others = () -> {};

    /**
     * A link that can be used.
     *
     * @param outgoing what is waited for in the direction to the peer
     * @param incoming what is waited for in the other one
     */
    LinkLife(int peerId, LinkStatus status, PeerWatch peer, Doorbell bell, LinkEvents outgoing, LinkEvents incoming) {
        this.peerId = peerId;
        this.status = status;
        this.peer = peer;
        this.bell = bell;
        this.outgoing = outgoing;
        this.incoming = incoming;
    }

    int peerId() {
        return peerId;
    }

    /** Whether this end was not closed. */
    boolean isOpen() {
        return !closed.get();
    }

    /**
     * Whether frames go on: no side has left. One load where nothing has changed.
     *
     * @throws ClosedException if this end was closed
     */
    boolean carries() {
        return status.isOpen();
    }

    PeerState peerState() {
        peer.lookUnlessWatched();
        return stateAsKnown();
    }

    private PeerState stateAsKnown() {
        try {
            return failure == null ? status.peer() : PeerState.GONE;
        } catch (ClosedException over) {
            return PeerState.GONE;
        }
    }

    /** Whether a guest has attached, even if it has left. */
    boolean hasGuest() {
        return status.guestPid() != 0;
    }

    /** The guest has not come in time: whoever waits for it finds it gone. */
    void endReservation() {
        if (status.endReservation()) {
            wakeAll();
        }
    }

    void ensureUsable() {
        RuntimeException failed = failure;
        if (failed != null) {
            throw failed;
        }
        if (closed.get()) {
            throw new ClosedException(this + " was used after it was closed");
        }
    }

    /** What a send over a link says that carries nothing any more. */
    SendResult gone() {
        ensureUsable();
        return SendResult.PEER_GONE;
    }

    /**
     * The peer has written what no correct peer writes; or this side has closed the memory, which reads as zeros then.
     *
     * @return what to throw
     */
    RuntimeException failed(RuntimeException faulty) {
        if (closed.get()) {
            return new ClosedException(this + " was closed while it was used");
        }
        IllegalStateException failed = new IllegalStateException(
                this + " has failed and carries nothing any more: " + faulty.getMessage(), faulty);
        failure = failed;
        status.fail();
        wakeAll();
        return failed;
    }

    /** From here on this end is closed. False if it was so before. */
    boolean end() {
        return closed.compareAndSet(false, true);
    }

    /** Tells the peer, and wakes all that wait on either side. */
    // r[impl shm.detach]
    void sayGoodbye() {
        status.sayGoodbye();
        wakeAll();
    }

    /** From here on that runs too where all that wait are woken. */
    void alsoWake(Runnable wake) {
        others = wake;
        peer.alsoWake(wake);
    }

    private void wakeAll() {
        outgoing.wakeAll();
        incoming.wakeAll();
        others.run();
        bell.ring();
        peer.tell();
    }

    @Override
    public String toString() {
        return "ShmLink[peer=" + peerId + ", " + (closed.get() ? "closed" : stateAsKnown()) + "]";
    }
}

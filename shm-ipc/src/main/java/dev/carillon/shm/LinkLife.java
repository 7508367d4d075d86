package dev.carillon.shm;

import dev.carillon.ClosedException;
import dev.carillon.memory.RegionTruncatedException;
import dev.carillon.shm.doorbell.Doorbell;
import dev.carillon.shm.fault.PeerViolation;
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
    private final LinkPages pages;
    private final LinkSleepers sleepers;
    private final AtomicBoolean closed = new AtomicBoolean();
    private volatile @Nullable RuntimeException failure;

    /** A link that can be used. */
    LinkLife(int peerId, LinkStatus status, PeerWatch peer, Doorbell bell, LinkPages pages, LinkSleepers sleepers) {
        this.peerId = peerId;
        this.status = status;
        this.peer = peer;
        this.bell = bell;
        this.pages = pages;
        this.sleepers = sleepers;
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
        try {
            return status.isOpen();
        } catch (ClosedException ofTheMemory) {
            ensureUsable();
            throw ofTheMemory;
        }
    }

    PeerState peerState() {
        peer.lookUnlessWatched();
        PeerState state = stateAsKnown();
        if (status.isLost()) {
            noteLoss();
        }
        return state;
    }

    /** What has ended the link first says it for good. */
    // r[impl shm.lost-memory]
    private PeerState stateAsKnown() {
        if (status.hasDied()) {
            return PeerState.DEAD;
        }
        try {
            return failure == null ? status.peer() : PeerState.GONE;
        } catch (ClosedException over) {
            return PeerState.GONE;
        }
    }

    /** Whether a guest has attached, even if it has left; false once this end is closed. */
    boolean hasGuest() {
        try {
            return status.guestPid() != 0;
        } catch (ClosedException over) {
            return false;
        }
    }

    /** The guest has not come in time: whoever waits for it finds it gone. */
    void endReservation() {
        if (status.endReservation()) {
            wakeAll();
        }
    }

    /** Why it carries nothing any more: what the peer has done, or the loss of the memory; null if it has not failed. */
    @Nullable
    RuntimeException failure() {
        noteLoss();
        return failure;
    }

    /** From now on each call says that the memory is lost, if it is. */
    private void noteLoss() {
        if (!isUsable()) {
            return;
        }
        try {
            ensureThere();
        } catch (RegionTruncatedException | ClosedException over) {
            var unused = failed(over);
        }
    }

    /** Whether {@link #ensureUsable} throws nothing. */
    boolean isUsable() {
        return failure == null && isOpen();
    }

    void ensureUsable() {
        RuntimeException failed = failure;
        if (failed != null) {
            throw failed;
        }
        if (closed.get()) {
            throw closedBefore();
        }
    }

    /** Also for those who waited when it was closed, or were in the midst of a call. */
    private ClosedException closedBefore() {
        return new ClosedException(
                this + " was closed by this side: what waited for it has ended, and it carries nothing any more");
    }

    /** What a send over a link says that carries nothing any more. */
    SendResult gone() {
        ensureUsable();
        // A link that has lost its memory is over too, and that is another thing.
        ensureThere();
        return SendResult.PEER_GONE;
    }

    /** As {@link LinkPages#ensureThere}. */
    void ensureThere() {
        pages.ensureThere();
    }

    /** A result of accesses to the memory, which is worth something if that is still there. */
    <T extends @Nullable Object> T there(T result) {
        pages.ensureThere();
        return result;
    }

    /**
     * The peer has written what no correct peer writes; or the memory is lost; or this side has closed it, and it reads as zeros
     * then.
     *
     * @return what to throw
     */
    RuntimeException failed(Throwable faulty) {
        RegionTruncatedException loss = pages.lossBehind(faulty);
        if (loss == null && faulty instanceof InternalError foreign) {
            throw foreign;
        }
        if (closed.get()) {
            return closedBefore();
        }
        if (faulty instanceof ClosedException foreign) {
            return foreign;
        }
        if (loss == null && faulty instanceof RegionTruncatedException foreign) {
            return foreign;
        }
        String what = this + " has failed and carries nothing any more: ";
        IllegalStateException failed = loss == null && faulty instanceof PeerViolation violation
                ? new FaultyPeerException(what, violation)
                : new IllegalStateException(what + LinkPages.LOST, loss);
        // r[impl shm.faulty-peer]
        failure = failed;
        step(status::fail);
        step(sleepers::wakeAll);
        step(bell::ring);
        step(peer::tell);
        return failed;
    }

    /** Lost memory faults once more here, which is known; and the VM would tell it later, in the midst of the caller's work. */
    private void step(Runnable work) {
        try {
            work.run();
            ensureThere();
        } catch (RegionTruncatedException known) {
            // It is what this end has failed of.
        } catch (InternalError fault) {
            if (pages.lossBehind(fault) == null) {
                throw fault;
            }
        }
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

    /** From here on these run too where all that wait are woken, or those who were signalled. */
    void alsoWake(Runnable wake, Runnable wakeSignalled) {
        sleepers.alsoWake(wake, wakeSignalled);
    }

    private void wakeAll() {
        sleepers.wakeAll();
        bell.ring();
        peer.tell();
    }

    @Override
    public String toString() {
        return "ShmLink[peer=" + peerId + ", " + (closed.get() ? "closed" : stateAsKnown()) + "]";
    }
}

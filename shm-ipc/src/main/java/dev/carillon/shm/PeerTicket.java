package dev.carillon.shm;

import dev.carillon.ClosedException;
import dev.carillon.loop.EventLoop;
import dev.carillon.memory.MemoryRegion;
import dev.carillon.process.Child;
import dev.carillon.process.Spawn;
import dev.carillon.shm.doorbell.Doorbell;
import dev.carillon.shm.segment.SegmentIdentity;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Lets one guest attach to a link, by two descriptors that it inherits: the memory and the guest's end of the doorbell.
 *
 * <p>The guest has to attach in time ({@link HostConfig.Builder#reserveFor}); after that the ticket is worth nothing.
 *
 * <p>Arguments and environment name the numbers only. They are no secret: who has the descriptors has the link.
 *
 * <p><b>Threading:</b> any thread.
 *
 * <p><b>Ownership:</b> {@link ShmHost#spawn} uses it up. One that is not used goes with the close of its link or host, or when the
 * time to attach is over; {@link #close} lets go of it earlier.
 */
public final class PeerTicket implements AutoCloseable {
    /** The variable of the environment, and the option of the command line. */
    static final String VARIABLE = "CARILLON_LINK";

    static final String OPTION = "--carillon-link=";

    /** What the guest knows the descriptors by. */
    private static final int MEMORY = 3;

    private static final int BELL = 4;

    private final ShmLink link;
    private final MemoryRegion memory;
    private final Doorbell guestBell;
    private final SegmentIdentity identity;
    private final Reservation reservation;

    PeerTicket(
            ShmLink link, MemoryRegion memory, Doorbell guestBell, SegmentIdentity identity, Reservation reservation) {
        this.link = link;
        this.memory = memory;
        this.guestBell = guestBell;
        this.identity = identity;
        this.reservation = reservation;
    }

    /** The host's end of the link; what is sent before the guest has attached waits for it. */
    public ShmLink link() {
        return link;
    }

    /** The guest's arguments, for {@link ShmGuest#attach(String[])}. */
    public List<String> toArguments() {
        return List.of(OPTION + MEMORY + "," + BELL);
    }

    /** The guest's environment, for {@link ShmGuest#attachFromEnvironment}. */
    public Map<String, String> toEnvironment() {
        return Map.of(VARIABLE, MEMORY + "," + BELL);
    }

    SegmentIdentity identity() {
        return identity;
    }

    int memoryNumber() {
        return memory.fd();
    }

    int bellNumber() {
        return guestBell.fd();
    }

    /**
     * Holds the descriptors while they are handed over.
     *
     * @throws ClosedException if there is nothing to hand over any more
     */
    TicketDescriptors hold() {
        try {
            return TicketDescriptors.hold(memory, guestBell);
        } catch (ClosedException over) {
            ClosedException told = over();
            told.initCause(over);
            throw told;
        }
    }

    private ClosedException over() {
        return new ClosedException(this + " has no descriptors any more: its host, its link or the"
                + " ticket was closed, it was used, or the time to attach is over; ask the host for another"
                + " ticket with addPeer()");
    }

    /** Starts the guest. The time does not run out meanwhile, or it was over before. */
    // r[impl shm.link-word]
    Child spawn(Spawn.Builder guest, EventLoop loop) {
        if (!reservation.pause()) {
            throw over();
        }
        LinkPeer peer = link.peer();
        @Nullable Child child = null;
        try {
            peer.isToBeSpawned(true);
            child = started(guest, loop);
            peer.isSpawnedAs(child);
            used();
            return child;
        } finally {
            if (child == null) {
                peer.isToBeSpawned(false);
                reservation.goOn();
            }
        }
    }

    /** The command is as it was then: it means no number that may become another's. */
    private Child started(Spawn.Builder guest, EventLoop loop) {
        try (TicketDescriptors held = hold()) {
            guest.inherit(held.memory().number(), MEMORY);
            try {
                guest.inherit(held.bell().number(), BELL);
                try {
                    toEnvironment().forEach(guest::environment);
                    return guest.start(loop);
                } finally {
                    guest.withoutInherited(BELL);
                }
            } finally {
                guest.withoutInherited(MEMORY);
            }
        }
    }

    /** The guest has its copies, and from now on the time to attach. */
    void used() {
        guestBell.close();
        reservation.restart();
    }

    /** Lets go of the guest's end of the bell; the link stays. */
    @Override
    public void close() {
        guestBell.close();
    }

    @Override
    public String toString() {
        return "PeerTicket[" + link + "]";
    }
}

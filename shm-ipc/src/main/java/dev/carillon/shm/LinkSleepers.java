package dev.carillon.shm;

/**
 * All threads of this side that sleep on a link, and the loops of the peer that listen.
 *
 * <p><b>Threading:</b> any thread.
 */
final class LinkSleepers {
    private final LinkEvents outgoing;
    private final LinkEvents incoming;

    /** Wakes those who wait for other things than the directions have. */
    private volatile Runnable others = () -> {};

    /**
     * Those of both directions.
     *
     * @param outgoing what is waited for in the direction to the peer
     * @param incoming what is waited for in the other one
     */
    LinkSleepers(LinkEvents outgoing, LinkEvents incoming) {
        this.outgoing = outgoing;
        this.incoming = incoming;
    }

    /** From here on that runs too where all are woken. */
    void alsoWake(Runnable wake) {
        others = wake;
    }

    /** Wakes all, also those whom a peer had begun to wake when it died. */
    void wakeAll() {
        outgoing.wakeAll();
        incoming.wakeAll();
        others.run();
    }
}

package dev.carillon.shm;

/**
 * All threads of this side that sleep on a link, and the loops of the peer that listen. Where the memory can be lost those who wait
 * look often, and nobody is woken when it is.
 *
 * <p><b>Threading:</b> any thread.
 */
final class LinkSleepers {
    private final LinkEvents outgoing;
    private final LinkEvents incoming;
    private final LinkPages pages;

    /** Wakes those who wait for other things than the directions have. */
    private volatile Runnable others = () -> {};

    private volatile Runnable otherSignalled = () -> {};

    /**
     * Those of both directions.
     *
     * @param outgoing what is waited for in the direction to the peer
     * @param incoming what is waited for in the other one
     * @param pages where all of them sleep
     */
    LinkSleepers(LinkEvents outgoing, LinkEvents incoming, LinkPages pages) {
        this.outgoing = outgoing;
        this.incoming = incoming;
        this.pages = pages;
    }

    /** From here on these run too where all are woken, or those who were signalled. */
    void alsoWake(Runnable wake, Runnable wakeSignalled) {
        others = wake;
        otherSignalled = wakeSignalled;
    }

    /** Wakes all, also those whom a peer had begun to wake when it died. */
    void wakeAll() {
        pages.unlessLost(() -> {
            outgoing.wakeAll();
            incoming.wakeAll();
            others.run();
        });
    }

    /** The bell has rung: wakes those of this side whom the peer could not wake, as it has no futexes. */
    // r[impl shm.wakeup.fallback]
    void wakeSignalled() {
        pages.unlessLost(() -> {
            incoming.data().wakeSignalled();
            outgoing.space().wakeSignalled();
            outgoing.slots().wakeSignalled();
            otherSignalled.run();
        });
    }
}

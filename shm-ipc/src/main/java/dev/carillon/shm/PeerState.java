package dev.carillon.shm;

/** How far the other side of a link has come. It only goes forward. */
public enum PeerState {
    /** The guest has not attached yet; what is sent to it waits in the ring. */
    EXPECTED,

    /** Both sides are there. */
    ATTACHED,

    /** One side has said goodbye, or the link has failed. What was sent before can still be received. */
    GONE,

    /**
     * The peer left without a goodbye: its process has ended, or nobody has its end of the bell any more, so that it could not
     * be woken. What it had sent can still be received.
     */
    DEAD;

    /** Whether the link is over for this side: what was sent before can still be received, and nothing comes after that. */
    public boolean isOver() {
        return this == GONE || this == DEAD;
    }
}

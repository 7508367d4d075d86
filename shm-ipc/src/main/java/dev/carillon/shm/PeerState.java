package dev.carillon.shm;

/** How far the other side of a link has come. It only goes forward. */
public enum PeerState {
    /** The guest has not attached yet; what is sent to it waits in the ring. */
    EXPECTED,

    /** Both sides are there. */
    ATTACHED,

    /** One side has said goodbye. What was sent before can still be received. */
    GONE
}

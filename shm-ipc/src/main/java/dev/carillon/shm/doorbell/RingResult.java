package dev.carillon.shm.doorbell;

/** What became of a ring. */
public enum RingResult {
    /** The peer will notice, or has been rung so often before that it will notice anyway. */
    RUNG,

    /** The other end is closed in all processes, or was shut for reading. */
    PEER_GONE
}

package dev.carillon.shm.doorbell;

/** What became of a ring. */
public enum RingResult {
    /** The peer will notice, or has been rung so often before that it will notice anyway. */
    RUNG,

    /** Nobody has the other end any more, or whoever has it reads no more. */
    PEER_GONE
}

package dev.carillon.shm.doorbell;

/** What a doorbell has to say. */
public enum DoorbellEvent {
    /** The peer has rung since the last event, once or often: look at what you share with it. */
    RUNG,

    /**
     * No process has the other end any more, or it was shut in both directions; all that it rang was reported
     * before. A peer that has only stopped to write is no death. Whether the process has ended, its pidfd knows. From now
     * on this is the answer always.
     */
    PEER_GONE,

    /** Nothing happened in the time given. */
    TIMEOUT
}

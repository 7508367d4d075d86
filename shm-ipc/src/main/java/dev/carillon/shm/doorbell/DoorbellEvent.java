package dev.carillon.shm.doorbell;

/** What a doorbell has to say. */
public enum DoorbellEvent {
    /** The peer has rung since the last event, once or often: look at what you share with it. */
    RUNG,

    /**
     * Nobody has the other end any more, or whoever has it has shut it in both directions; all that it rang was told
     * before. A peer that has only stopped to write is no death. Whether the process has ended, its pidfd knows. From now
     * on this is the answer always.
     */
    PEER_GONE,

    /** Nothing happened in the time given. */
    TIMEOUT
}

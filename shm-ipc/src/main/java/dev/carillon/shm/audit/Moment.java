package dev.carillon.shm.audit;

/** What the sides do while an audit looks. */
public enum Moment {
    /** Anything: they run, were stopped somewhere, or were killed. What is found then is wrong at any instruction. */
    ANY,

    /**
     * No call is under way that sends, receives or gives back; who waits sleeps, and nobody has left in the ring what he was told
     * of. The caller knows that. More must hold then.
     */
    QUIET
}

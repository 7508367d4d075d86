package dev.carillon.shm;

/** How a wait for credit has ended. */
public enum CreditResult {
    /** So much can be sent now. */
    GRANTED,

    /** The time is over. */
    TIMED_OUT,

    /** This side has closed the channel. */
    CLOSED,

    /** One of the sides has reset the channel. */
    RESET,

    /** The peer has said goodbye, or its link has failed. */
    PEER_GONE
}

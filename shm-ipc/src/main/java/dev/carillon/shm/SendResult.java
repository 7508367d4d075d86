package dev.carillon.shm;

/** What became of a frame that was to be sent. Only {@link #SENT} means that it is under way; else nothing has happened. */
public enum SendResult {
    /** The peer will receive it, after all that was sent before it. */
    SENT,

    /** The ring has no free entry for data: the peer is slower than this side. */
    RING_FULL,

    /** No slot that is large enough is free: the peer still has them. */
    NO_SLOT,

    /** No slot is large enough, free or not: send it in parts, or give the link larger slots. */
    TOO_LARGE,

    /** The peer has not granted so much on the channel: it has not consumed, or not accepted yet. */
    NO_CREDIT,

    /** This side has closed the channel. */
    CHANNEL_CLOSED,

    /** One of the sides has reset the channel. */
    CHANNEL_RESET,

    /** The peer has said goodbye, or its link has failed. */
    PEER_GONE
}

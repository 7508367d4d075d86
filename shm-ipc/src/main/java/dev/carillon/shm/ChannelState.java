package dev.carillon.shm;

/** How far a {@link ShmChannel} is. It only goes forward. */
public enum ChannelState {
    /** The other side has not accepted it yet, as far as this side has received. */
    OPENING,

    /** Frames go both ways. */
    OPEN,

    /** One of the sides has closed it, and sends no more. */
    HALF_CLOSED,

    /** Both sides have closed it. */
    CLOSED,

    /** One of the sides has reset it. */
    RESET
}

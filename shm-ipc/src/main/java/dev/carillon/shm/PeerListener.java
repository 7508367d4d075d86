package dev.carillon.shm;

/** Is told by a {@link PeerWatch} what the other side does. <b>Threading:</b> as each method says. */
interface PeerListener {
    /** The bell has rung: look at what is shared. On the thread of the loop that watches. */
    void rung();

    /** As {@link #rung}, or the link is over. Any thread, perhaps in the midst of a call. */
    void changed();

    /** This side has closed the link. Any thread. */
    void closed();
}

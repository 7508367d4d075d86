package dev.carillon.shm;

import dev.carillon.PeerCredentials;

/** Takes the links of guests that have come through the host's socket. */
@FunctionalInterface
public interface GuestHandler {
    /**
     * Takes a link to which a guest has attached. It is called on the host's loop, so it does not block. If it throws, the link
     * is closed.
     *
     * @param link the host's end, to be closed by whoever uses it, or by the close of the host
     * @param guest the process that connected, as the kernel names it
     */
    void onGuest(ShmLink link, PeerCredentials guest);
}

package dev.carillon.shm;

/** Is told of guests that have died; see {@link ShmHost#onPeerDeath}. */
@FunctionalInterface
public interface PeerDeathHandler {
    /**
     * A guest has died. It is called on the host's loop, once for each link, so it does not block. What it throws goes to the
     * error handler of the loop.
     */
    void onPeerDeath(PeerDeath death);
}

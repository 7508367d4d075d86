package dev.carillon.shm;

/**
 * A guest has died: its process has ended without a goodbye, or let go of its end of the bell.
 *
 * @param link the host's end: what the guest had sent can still be received, and then it is to be closed
 * @param pid the guest's process, that of the child where the host has spawned it; 0 if it has not attached, or is in a pid namespace that this process does not see
 * @param incarnation how often its id, which is {@link ShmLink#peerId}, was used with this one: 1 the first time
 */
public record PeerDeath(ShmLink link, int pid, int incarnation) {}

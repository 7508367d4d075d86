package dev.carillon.loop.access;

/** Makes a poller. A loop finds it by the name of its class, since the rooms that poll stand above the loop. */
@FunctionalInterface
public interface PollerFactory {
    /**
     * Opens one for a loop that is just being made.
     *
     * @throws dev.carillon.SyscallException if the process has no descriptors left
     */
    Poller open(PolledLoop loop);
}

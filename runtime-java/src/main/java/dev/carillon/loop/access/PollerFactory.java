package dev.carillon.loop.access;

/** Makes a poller. A loop finds it by the name of its class, since pollers stand above the loop. */
@FunctionalInterface
public interface PollerFactory {
    /**
     * Opens a poller for a loop that is under construction.
     *
     * @throws dev.carillon.SyscallException if the process has no descriptors left
     */
    Poller open(PolledLoop loop);
}

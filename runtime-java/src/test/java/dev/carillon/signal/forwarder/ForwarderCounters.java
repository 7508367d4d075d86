package dev.carillon.signal.forwarder;

import dev.carillon.Signal;

/** What the machine code of this process has counted, for tests of the room above. */
public final class ForwarderCounters {
    private ForwarderCounters() {}

    /** How often the kernel refused to forward a signal, since ever. */
    public static long refused(Signal signal) {
        return Forwarder.get().refused(signal);
    }
}

package dev.carillon.signal.forwarder;

import dev.carillon.Signal;
import org.jspecify.annotations.Nullable;

/**
 * Which copy of this library has a signal, where two class loaders have loaded one each: handlers belong to the process,
 * so a copy that knew of itself alone would take the other one's away. What all copies see are the system properties.
 *
 * <p><b>Threading:</b> any thread.
 */
// r[impl signal.one-owner]
public final class CopyOwners {
    /** With the name of a signal behind it. */
    static final String PREFIX = "carillon.signals.owner.";

    /** A class loader may have any name, but two that are alive have two identities. */
    private static final String SELF = CopyOwners.class.getClassLoader() + " (copy "
            + Integer.toHexString(System.identityHashCode(CopyOwners.class)) + ")";

    private CopyOwners() {}

    /** Makes a signal this copy's; returns null, or the name of the copy that has it. */
    public static @Nullable String claim(Signal signal) {
        Object owner = System.getProperties().putIfAbsent(PREFIX + signal, SELF);
        return owner == null || owner.equals(SELF) ? null : String.valueOf(owner);
    }

    /** Whether some copy has a signal, this one or another. */
    static boolean isClaimed(Signal signal) {
        return System.getProperties().containsKey(PREFIX + signal);
    }

    /** Gives a signal up, if it is this copy's. */
    public static void release(Signal signal) {
        System.getProperties().remove(PREFIX + signal, SELF);
    }
}

package dev.carillon.memory;

import org.jspecify.annotations.Nullable;

/**
 * The errors by which the VM tells of a page that an access has not found, sometimes late.
 *
 * <p><b>Threading:</b> any thread.
 */
final class VmFaults {
    /** A part of HotSpot's message that is the same in JDK 17 ("in a recent ...") and 25 ("in an ..."). */
    private static final String SIGN = "unsafe memory access operation";

    /** From this JDK on, a fault comes out at the end of any native call; before, where the VM itself does some work. */
    private static final boolean NATIVE_CALLS_SUFFICE = Runtime.version().feature() >= 25;

    /** Volatile, so that no compiler knows it and makes the array by itself. */
    private static volatile int one = 1;

    @SuppressWarnings("unused") // so that the array is made
    private static byte @Nullable [][] made;

    private VmFaults() {}

    /** Whether an error is one of those. */
    static boolean isOne(InternalError error) {
        String message = error.getMessage();
        return message != null && message.contains(SIGN);
    }

    /**
     * Enters the VM, which hands out a fault that it has pending for this thread on the way back.
     *
     * <p>It must not come later. Between the acquire of a descriptor and the block that releases it, it would leave the
     * descriptor open for ever.
     */
    static void handOut() {
        if (NATIVE_CALLS_SUFFICE) {
            Thread.holdsLock(VmFaults.class);
        } else {
            made = new byte[one][one];
        }
    }
}

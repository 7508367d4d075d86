package dev.carillon.memory;

import java.nio.ByteBuffer;

/**
 * Has the atomic accesses compiled before the first region that can be truncated is handed out.
 *
 * <p>HotSpot turns the SIGBUS of a truncated file into an InternalError in compiled code and in its own loads and
 * stores, but not in the interpreter's compare-and-set (JDK 17 and 25): there it ends the VM. Compiled once, these
 * methods do not meet that one. It is no proof (a VM with -Xint, a method thrown away by the compiler), which is why
 * the guarantee is a seal against shrinking.
 *
 * <p><b>Threading:</b> once, by the class initializer.
 */
final class CompareAndSetWarmup {
    /**
     * Enough for the first compiler (200) and too few for the second (5,000): 20,000 calls made crashes more frequent,
     * probably because that one leaves out what it has not seen happen, and returns to the interpreter when it does.
     */
    private static final int CALLS = 3_000;

    private static final int SIZE = 64;

    static {
        OrderedBytes scratch = new OrderedBytes(ByteBuffer.allocateDirect(SIZE), new Views("warm-up"));
        for (int call = 0; call < CALLS; call++) {
            scratch.compareAndSetInt(0, call, call + 1);
            scratch.getAndAddInt(0, 1);
            scratch.getAndSetInt(0, call + 1);
            scratch.compareAndSetLong(Long.BYTES, call, call + 1);
            scratch.getAndAddLong(Long.BYTES, 1);
            scratch.getAndSetLong(Long.BYTES, call + 1);
        }
    }

    private CompareAndSetWarmup() {}

    /** Returns when it was done, by this or an earlier call. */
    static void ensureDone() {
        // The class initializer does it.
    }
}

package dev.carillon.memory;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.TimeUnit;

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
    private static final int BATCH = 200;

    /** Measured per call: interpreted 340 ns (JDK 25) to 1,200 (JDK 17), compiled 20 to 40. */
    private static final long COMPILED_BATCH_NANOS = BATCH * 200L;

    private static final int FAST_BATCHES = 3;
    private static final long PATIENCE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final int SIZE = 64;

    static {
        OrderedBytes scratch = new OrderedBytes(ByteBuffer.allocateDirect(SIZE), new Views("warm-up"));
        long deadline = System.nanoTime() + PATIENCE_NANOS;
        List<Runnable> accesses = List.of(
                () -> scratch.compareAndSetInt(0, 0, 0),
                () -> scratch.getAndAddInt(0, 0),
                () -> scratch.getAndSetInt(0, 0),
                () -> scratch.compareAndSetLong(0, 0, 0),
                () -> scratch.getAndAddLong(0, 0),
                () -> scratch.getAndSetLong(0, 0));
        accesses.forEach(access -> callUntilCompiled(access, deadline));
    }

    private CompareAndSetWarmup() {}

    /** Returns when it was done, by this or an earlier call. */
    static void ensureDone() {
        // The class initializer does it.
    }

    /** The compilers work in the background and tell nobody when they are done, but the time does. */
    private static void callUntilCompiled(Runnable access, long deadline) {
        int fast = 0;
        long before = System.nanoTime();
        while (fast < FAST_BATCHES && before - deadline < 0) {
            for (int call = 0; call < BATCH; call++) {
                access.run();
            }
            long after = System.nanoTime();
            fast = after - before < COMPILED_BATCH_NANOS ? fast + 1 : 0;
            before = after;
        }
    }
}

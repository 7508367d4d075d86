package dev.carillon.sys;

/**
 * The mark that loops set on their threads, so that a call of ours that blocks fails there instead of stopping the loop.
 *
 * <p>It is looked at only with {@code -Dcarillon.checks=true}.
 *
 * <p><b>Threading:</b> each method is about the calling thread.
 */
// r[impl sys.loop-block] r[impl kt.blocking-guard]
public final class LoopThreads {
    private static final boolean CHECKED = Boolean.getBoolean("carillon.checks");

    /** One element per thread, kept: a loop that is run step by step marks and unmarks for each step. */
    private static final ThreadLocal<boolean[]> MARK = ThreadLocal.withInitial(() -> new boolean[1]);

    private LoopThreads() {}

    /** Loads what the other methods need, and changes nothing. */
    public static void ensureReady() {
        MARK.get();
    }

    /** A loop runs on this thread from now on. */
    public static void mark() {
        MARK.get()[0] = true;
    }

    /** The loop has left this thread. */
    public static void unmark() {
        MARK.get()[0] = false;
    }

    /**
     * To be called before anything that blocks, but a loop's own poll.
     *
     * @throws IllegalStateException in checked mode, on a loop thread
     */
    public static void ensureMayBlock(String operation) {
        if (CHECKED && MARK.get()[0]) {
            throw new IllegalStateException(operation + " would block the event loop of thread "
                    + Thread.currentThread().getName() + "; call it on another thread, or use its loop operation");
        }
    }
}

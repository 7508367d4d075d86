package dev.carillon.memory;

import java.lang.ref.Cleaner;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Counts the mappings of this process, and has the thread that gives unreachable ones back.
 *
 * <p><b>Threading:</b> any thread.
 */
final class Ledger {
    static final AtomicLong OPEN = new AtomicLong();
    static final AtomicLong RETAINED = new AtomicLong();
    static final AtomicLong STUCK = new AtomicLong();
    static final AtomicLong LEAKED = new AtomicLong();
    static volatile String lastLeak = "";

    private Ledger() {}

    static RegionStats read() {
        return new RegionStats(OPEN.get(), RETAINED.get(), STUCK.get(), LEAKED.get(), lastLeak);
    }

    /** Runs an action when nothing can reach {@code root} any more; the action must not reach it either. */
    static void whenUnreachable(Object root, Runnable action) {
        Holder.CLEANER.register(root, action);
    }

    /** Started with the first region. */
    private static final class Holder {
        static final Cleaner CLEANER = Cleaner.create(action -> {
            Thread thread = new Thread(action, "carillon-memory-cleaner");
            thread.setDaemon(true);
            return thread;
        });
    }
}

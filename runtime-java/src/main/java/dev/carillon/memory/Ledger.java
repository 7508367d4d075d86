package dev.carillon.memory;

import java.lang.ref.Cleaner;
import java.lang.ref.WeakReference;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

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

    private static WeakReference<@Nullable Cleaner> lastCleaner = new WeakReference<>(null);

    private Ledger() {}

    static RegionStats read() {
        return new RegionStats(OPEN.get(), RETAINED.get(), STUCK.get(), LEAKED.get(), lastLeak);
    }

    /**
     * The cleaner of all mappings; each keeps it, and with the last mapping it goes, and its thread too.
     *
     * <p>One that lived for ever would be a thread that nobody can stop.
     */
    static synchronized Cleaner cleaner() {
        Cleaner running = lastCleaner.get();
        if (running == null) {
            running = Cleaner.create(action -> {
                Thread thread = new Thread(action, "carillon-memory-cleaner");
                thread.setDaemon(true);
                return thread;
            });
            lastCleaner = new WeakReference<>(running);
        }
        return running;
    }
}

package dev.carillon.futex;

import dev.carillon.memory.MemoryRegion;
import java.lang.ref.Reference;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.stream.Stream;

/**
 * The words of one region. When the region is closed, those with sleepers let them out.
 *
 * <p>A word in use is held by its sleepers, so the list does not hold it: words that are made for one wait each, which
 * they need not be, cost no memory for ever.
 *
 * <p><b>Threading:</b> any thread.
 */
// r[impl futex.words-are-let-go]
final class RegionWords {
    private static final int FIRST_SWEEP = 16;

    /** Guarded by itself. The values do not hold their keys. */
    private static final Map<MemoryRegion, RegionWords> ALL = new WeakHashMap<>();

    /** Guarded by this object's lock. */
    private final List<WeakReference<SharedWord>> words = new ArrayList<>();

    private int sweepAt = FIRST_SWEEP;

    private RegionWords() {}

    /**
     * Sees to it that the close of its region gets the sleepers of a word out. The close takes the bytes away first,
     * so a word that comes too late for that lets no thread sleep.
     *
     * @throws dev.carillon.ClosedException if the region is closed
     */
    static void add(MemoryRegion region, SharedWord word) {
        RegionWords words;
        synchronized (ALL) {
            words = ALL.get(region);
            if (words == null) {
                words = new RegionWords();
                region.beforeRelease(words::letAllOut);
                ALL.put(region, words);
            }
        }
        words.add(word);
    }

    private synchronized void add(SharedWord word) {
        if (words.size() >= sweepAt) {
            words.removeIf(seen -> seen.get() == null);
            sweepAt = Math.max(FIRST_SWEEP, 2 * words.size());
        }
        words.add(new WeakReference<>(word));
    }

    private void letAllOut() {
        List<SharedWord> alive;
        synchronized (this) {
            alive = words.stream()
                    .map(Reference::get)
                    .flatMap(Stream::ofNullable)
                    .toList();
            words.clear();
        }
        alive.forEach(SharedWord::letAllOut);
    }
}

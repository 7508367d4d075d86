package dev.carillon.admin;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * How many requests somebody may send within a window of time that ends now.
 *
 * <p>It remembers the moments of those that counted. A stranger with a million addresses fills no memory: only so many are
 * remembered, and who was quiet for the longest time is forgotten first. That gives such a stranger no more tries than each new
 * address brings anyway, and it locks nobody else out.
 *
 * <p><b>Threading:</b> any thread.
 */
// r[impl admin.rate]
final class RequestLimit {
    /** So many are remembered; each takes less than a kilobyte with the default limits. */
    static final int MOST_CLIENTS = 4096;

    private final int limit;
    private final long windowNanos;
    private final LongSupplier clock;

    /** The moments that count, oldest first, of who was quiet for the longest time first. Guarded by this. */
    private final Map<String, ArrayDeque<Long>> moments = new LinkedHashMap<>(16, 0.75f, true);

    RequestLimit(int limit, Duration window, LongSupplier clock) {
        this.limit = limit;
        windowNanos = window.toNanos();
        this.clock = clock;
    }

    /**
     * Counts a request, if there is room for it in the window.
     *
     * @return zero if it counts; else after how many nanoseconds one would
     */
    synchronized long tryCount(String client) {
        long now = clock.getAsLong();
        long wait = waitOf(client, now);
        if (wait == 0) {
            forgetOld(now);
            moments.computeIfAbsent(client, anyOne -> new ArrayDeque<>(4)).addLast(now);
        }
        return wait;
    }

    /** As {@link #tryCount}, but counts nothing. */
    synchronized long wait(String client) {
        return waitOf(client, clock.getAsLong());
    }

    /** How many clients are remembered. */
    synchronized int clients() {
        return moments.size();
    }

    private long waitOf(String client, long now) {
        ArrayDeque<Long> own = moments.get(client);
        if (own == null) {
            return 0;
        }
        while (!own.isEmpty() && now - own.getFirst() >= windowNanos) {
            own.removeFirst();
        }
        return own.size() < limit ? 0 : own.getFirst() + windowNanos - now;
    }

    private void forgetOld(long now) {
        Iterator<ArrayDeque<Long>> quietest = moments.values().iterator();
        while (quietest.hasNext()) {
            ArrayDeque<Long> own = quietest.next();
            boolean isOver = own.isEmpty() || now - own.getLast() >= windowNanos;
            if (!isOver && moments.size() < MOST_CLIENTS) {
                return;
            }
            quietest.remove();
        }
    }
}

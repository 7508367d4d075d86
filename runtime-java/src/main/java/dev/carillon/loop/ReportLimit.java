package dev.carillon.loop;

import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Keeps errors that come all the time from filling a log. Of each kind it admits the first few in ten seconds and counts the
 * others; the next one that it admits brings their number.
 *
 * <p>A kind is the class of the error and the place where it was made. A flood of one kind holds back no other kind.
 *
 * <p><b>Threading:</b> any thread, under a lock.
 */
// r[impl loop.report-limit]
final class ReportLimit {
    /** What {@link #admit} returns where it leaves an error out. */
    static final int REFUSED = -1;

    /** So many of one kind, and so many of all kinds, are admitted in one span of time. */
    static final int OF_A_KIND = 8;

    static final int OF_ALL = 64;
    static final long SPAN_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final int KINDS = 16;

    private final Kind[] kinds = new Kind[KINDS];
    private final Kind all = new Kind();
    private int forgotten;

    ReportLimit() {
        for (int i = 0; i < KINDS; i++) {
            kinds[i] = new Kind();
        }
    }

    /** Returns how many of its kind were left out since the last one that was admitted, or REFUSED. */
    synchronized int admit(Throwable error, long now) {
        Kind kind = kind(error, now);
        if (!kind.hasRoom(OF_A_KIND, now) || !all.hasRoom(OF_ALL, now)) {
            kind.leftOut++;
            return REFUSED;
        }
        kind.told++;
        all.told++;
        int leftOut = kind.leftOut;
        kind.leftOut = 0;
        return leftOut;
    }

    /** Returns how many were left out and not yet reported, and forgets them. */
    synchronized int forget() {
        int sum = forgotten;
        forgotten = 0;
        for (Kind kind : kinds) {
            sum += kind.leftOut;
            kind.leftOut = 0;
        }
        return sum;
    }

    /** The text that goes behind that of an error. */
    static String told(int leftOut) {
        return leftOut == 0 ? "" : " (" + leftOut + " more like this one were not logged)";
    }

    private Kind kind(Throwable error, long now) {
        StackTraceElement[] stack = error.getStackTrace();
        StackTraceElement place = stack.length == 0 ? null : stack[0];
        Kind oldest = kinds[0];
        for (Kind kind : kinds) {
            if (kind.is(error.getClass(), place)) {
                return kind;
            }
            if (kind.type == null || (oldest.type != null && kind.began - oldest.began < 0)) {
                oldest = kind;
            }
        }
        forgotten += oldest.leftOut;
        oldest.begin(error.getClass(), place, now);
        return oldest;
    }

    private static final class Kind {
        private @Nullable Class<?> type;
        private @Nullable StackTraceElement place;
        private long began;
        private int told;
        private int leftOut;

        void begin(Class<?> ofType, @Nullable StackTraceElement at, long now) {
            type = ofType;
            place = at;
            began = now;
            told = 0;
            leftOut = 0;
        }

        boolean is(Class<?> ofType, @Nullable StackTraceElement at) {
            return type == ofType && (at == null ? place == null : at.equals(place));
        }

        boolean hasRoom(int most, long now) {
            if (now - began >= SPAN_NANOS) {
                began = now;
                told = 0;
            }
            return told < most;
        }
    }
}

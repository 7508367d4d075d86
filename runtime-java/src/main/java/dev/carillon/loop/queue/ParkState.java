package dev.carillon.loop.queue;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Decides which thread has to wake a loop that may be parked, so that no wakeup is lost and a park costs one write at most.
 *
 * <p>The loop calls {@link #announce} and looks whether anything was posted. If not, it calls {@link #commit}, and blocks if
 * that succeeds. Then it calls {@link #resume}. Another thread posts, then writes to the eventfd if {@link #mustWrite}.
 *
 * <p><b>Threading:</b> announce, commit, resume: the loop; the rest: any thread.
 *
 * <p><b>Order:</b> announcing and looking at a volatile counter on one side, changing that counter and observing on the
 * other, are in sequential order: the loop sees the post, or the poster sees the announcement.
 */
public final class ParkState {
    /** The loop will look at its queues before it blocks: nothing to do for posters. */
    static final int RUNNING = 0;

    /** The loop has announced to park and looks once more. A poster revokes that, without a write. */
    static final int PARKING = 1;

    /** The loop blocks, or is about to. One poster changes this to NOTIFIED, and that one writes. */
    static final int PARKED = 2;

    /** A poster wakes the loop, or has kept it from blocking. */
    static final int NOTIFIED = 3;

    private static final VarHandle STATE = Fields.of(MethodHandles.lookup(), ParkState.class, "state", int.class);

    /**
     * RUNNING -> PARKING (announce) -> PARKED (commit) -> RUNNING (resume); PARKING or PARKED -> NOTIFIED (a poster)
     * -> RUNNING (resume); NOTIFIED -> PARKED (notWritten).
     */
    @SuppressWarnings("unused") // through STATE
    private volatile int state = RUNNING;

    /** Running. */
    public ParkState() {}

    /** The loop means to park. */
    public void announce() {
        STATE.setVolatile(this, PARKING);
    }

    /** The loop has found nothing to do. False if a poster came in between: then the loop must not block. */
    public boolean commit() {
        return STATE.compareAndSet(this, PARKING, PARKED);
    }

    /** The loop runs again. A poster that still saw it parked writes in vain, which ends the next park early. */
    public void resume() {
        STATE.setRelease(this, RUNNING);
    }

    /** Called after a post. Whether the caller, and no other thread, has to write to the eventfd. */
    public boolean mustWrite() {
        while (true) {
            int seen = observe();
            if (seen == RUNNING || seen == NOTIFIED) {
                return false;
            }
            if (claim(seen)) {
                return seen == PARKED;
            }
        }
    }

    /** The write failed. The next poster has to make it, if the loop has not woken meanwhile. */
    public void notWritten() {
        STATE.compareAndSet(this, NOTIFIED, PARKED);
    }

    /** First step of {@link #mustWrite}. */
    int observe() {
        return (int) STATE.getVolatile(this);
    }

    /** Second step of {@link #mustWrite}. */
    boolean claim(int seen) {
        return STATE.compareAndSet(this, seen, NOTIFIED);
    }

    /** Whether the loop blocks, is about to, or was woken and has not come back yet. */
    public boolean isBlocking() {
        int seen = observe();
        return seen == PARKED || seen == NOTIFIED;
    }
}

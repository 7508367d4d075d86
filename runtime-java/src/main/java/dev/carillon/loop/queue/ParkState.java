package dev.carillon.loop.queue;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Who has to wake a loop that may be parked, so that no wakeup is lost and a park costs one write at most.
 *
 * <p>The loop: {@link #announce}, look whether anything was posted, and if not {@link #commit}; block if that
 * succeeded; {@link #resume}. Others: post, then write to the eventfd if {@link #mustWrite}.
 *
 * <p><b>Threading:</b> announce, commit, resume: the loop; the rest: any thread.
 *
 * <p><b>Order:</b> announcing and looking at a volatile counter on one side, changing that counter and observing on the
 * other, are in sequential order: the loop sees the post, or the poster sees the announcement.
 */
public final class ParkState {
    /** The loop will look at its queues before it blocks: nothing to do for posters. */
    static final int RUNNING = 0;

    /** The loop has announced to park and looks once more: a poster takes that back, without a write. */
    static final int PARKING = 1;

    /** The loop blocks, or is about to: one poster changes this to NOTIFIED, and that one writes. */
    static final int PARKED = 2;

    /** Somebody has taken care of waking it. */
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

    /** The loop has found nothing to do; false if a poster came in between: then it must not block. */
    public boolean commit() {
        return STATE.compareAndSet(this, PARKING, PARKED);
    }

    /** The loop runs again. A poster that still saw it parked writes in vain, which ends the next park early. */
    public void resume() {
        STATE.setRelease(this, RUNNING);
    }

    /** To be asked after a post: whether the caller, and nobody else, has to write to the eventfd. */
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

    /** The write did not come about: the next poster has to make it, if the loop has not woken meanwhile. */
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

    /** Whether the loop blocks, or is about to, or has been woken and not come back yet. */
    public boolean isBlocking() {
        int seen = observe();
        return seen == PARKED || seen == NOTIFIED;
    }
}

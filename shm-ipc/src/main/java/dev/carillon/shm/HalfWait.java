package dev.carillon.shm;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Who waits for one half of a link, threads or a loop: one word in shared memory says how they are woken, so it is not both.
 *
 * <p><b>Threading:</b> any thread.
 *
 * <p><b>Order:</b> each side says first that it waits, and looks for the other one then. So of two that come at once at least one
 * is refused.
 */
// r[impl shm.loop]
final class HalfWait {
    private final AtomicInteger threads = new AtomicInteger();

    /** Where one waits on a loop. */
    private volatile AtomicReference<@Nullable LinkWaiter> place = new AtomicReference<>();

    /** A loop waits there from now on, if it does. */
    void onLoop(AtomicReference<@Nullable LinkWaiter> there) {
        place = there;
    }

    /**
     * A thread is about to wait; it calls {@link #leave} after that.
     *
     * @throws IllegalStateException if a loop waits
     */
    void enter() {
        threads.incrementAndGet();
        LinkWaiter present = place.get();
        if (present != null && present.isWaiting()) {
            leave();
            throw new IllegalStateException(
                    "this half of the link is waited for on a loop already: it has one receiver and"
                            + " one sender at a time, threads and loop together");
        }
    }

    void leave() {
        threads.decrementAndGet();
    }

    /**
     * A loop is about to wait, and has its place already.
     *
     * @throws IllegalStateException if a thread waits
     */
    void ensureNoThread() {
        if (threads.get() > 0) {
            throw new IllegalStateException(
                    "a thread waits for this half of the link already: it has one receiver and one"
                            + " sender at a time, threads and loop together");
        }
    }
}

package dev.carillon.shm;

import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Notices in checked mode that two threads send over one link at once; otherwise it does nothing, and costs nothing.
 *
 * <p><b>Threading:</b> any thread.
 */
// r[impl shm.senders]
final class SenderCheck {
    private static final boolean CHECKED = Boolean.getBoolean("carillon.checks");

    private final AtomicReference<@Nullable Thread> sender = new AtomicReference<>();

    /**
     * A send begins.
     *
     * @return whether it is not part of another one of this thread; what {@link #exit} wants to know
     * @throws IllegalStateException in checked mode, if another thread is sending
     */
    boolean enter(LinkLife link) {
        return CHECKED && become(Thread.currentThread(), link);
    }

    private boolean become(Thread me, LinkLife link) {
        Thread other = sender.compareAndExchange(null, me);
        if (other != null && other != me) {
            throw new IllegalStateException("two senders on one side: the threads " + other.getName() + " and "
                    + me.getName() + " send over " + link
                    + " at once; let one thread send, or all of them with sharedSender()");
        }
        return other == null;
    }

    /** It is over. */
    void exit(boolean entered) {
        if (CHECKED && entered) {
            sender.set(null);
        }
    }
}

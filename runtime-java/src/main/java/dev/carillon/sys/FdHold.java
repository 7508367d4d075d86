package dev.carillon.sys;

import dev.carillon.HeldDescriptor;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * One acquire of an {@link Fd} and its release, for code that hands the number to another thread in between.
 *
 * <p><b>Threading:</b> any thread.
 */
// r[impl sys.fd-reuse]
public final class FdHold implements HeldDescriptor {
    private final AtomicBoolean released = new AtomicBoolean();
    private final Fd fd;
    private final int number;

    private FdHold(Fd fd) {
        this.fd = fd;
        // Last: what fails before it holds nothing.
        number = fd.acquire();
    }

    /**
     * Holds it.
     *
     * @throws dev.carillon.ClosedException if it was closed
     */
    public static FdHold of(Fd fd) {
        // Also for the release that has to follow.
        StackRoom.ensureAround();
        return new FdHold(fd);
    }

    @Override
    public int number() {
        return number;
    }

    @Override
    public void close() {
        if (released.compareAndSet(false, true)) {
            fd.release();
        }
    }

    @Override
    public String toString() {
        return "FdHold[" + fd + "]";
    }
}

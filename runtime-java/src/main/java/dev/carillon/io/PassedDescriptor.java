package dev.carillon.io;

import dev.carillon.ClosedException;
import dev.carillon.sys.Fd;
import dev.carillon.sys.call.DescriptorMessage;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * A descriptor that came over a socket.
 *
 * <p><b>Threading:</b> any thread.
 *
 * <p><b>Ownership:</b> the receiver closes it, or takes the number with {@link #detach} and closes that.
 */
public final class PassedDescriptor implements AutoCloseable {
    private final AtomicReference<@Nullable Fd> fd;

    PassedDescriptor(Fd fd) {
        this.fd = new AtomicReference<>(fd);
    }

    /**
     * The number, which belongs to the caller from now on.
     *
     * @throws ClosedException if it was closed or taken
     */
    public int detach() {
        Fd owned = fd.getAndSet(null);
        if (owned == null) {
            throw new ClosedException("this descriptor was closed, or its number taken, before");
        }
        // Acquired for good: the new owner of the number closes it.
        return owned.acquire();
    }

    /**
     * Closes it, unless its number was taken. Another thread does that soon, since it may be the last close of a socket that
     * lingers (SO_LINGER).
     */
    @Override
    public void close() {
        Fd owned = fd.getAndSet(null);
        if (owned != null) {
            owned.closeInBackground();
        }
    }

    /** Throws unless so many go with one message. */
    static void ensureFits(int count) {
        if (count < 1 || count > DescriptorMessage.MAX) {
            throw new IllegalArgumentException(
                    "descriptors=" + count + ": 1 to " + DescriptorMessage.MAX + " go with one message");
        }
    }
}

package dev.carillon.shm;

import dev.carillon.loop.EventLoop;
import dev.carillon.loop.Watch;
import org.jspecify.annotations.Nullable;

/**
 * One watch of a bell by a loop. What the loop still has of it after its end leads to no memory of a link.
 *
 * <p><b>Threading:</b> under the lock of its owner; the loop calls on its thread, without it.
 */
final class BellWatch {
    private volatile @Nullable Owner owner;
    private @Nullable Watch watch;

    /** Is told what the loop does; also late, after the end of the watch that it is told of. */
    interface Owner {
        /** The bell has rung, or hung up. */
        void ready(BellWatch of);

        /** The loop watches. */
        void confirmed(BellWatch of);

        /** The loop cannot watch, or ends. */
        void failed(BellWatch of, Throwable why);
    }

    BellWatch(Owner owner) {
        this.owner = owner;
    }

    /** Begins to watch, which may fail later. */
    void begin(EventLoop loop, int fd) {
        watch = loop.watch(fd, this::ready, this::failed);
    }

    /** Has the loop confirm, after it has begun. */
    void confirm(EventLoop loop) {
        loop.execute(this::confirmed);
    }

    private void ready() {
        Owner present = owner;
        if (present != null) {
            present.ready(this);
        }
    }

    private void confirmed() {
        Owner present = owner;
        if (present != null) {
            present.confirmed(this);
        }
    }

    private void failed(Throwable why) {
        Owner present = owner;
        owner = null;
        if (present != null) {
            present.failed(this, why);
        }
    }

    /** Calls once more, since the bell was not read to its end. On the loop thread. */
    void again() {
        if (watch != null) {
            watch.again();
        }
    }

    void end() {
        owner = null;
        if (watch != null) {
            watch.close();
        }
    }
}

package dev.carillon.io.epoll;

import static dev.carillon.sys.layout.Constants.EPOLLET;
import static dev.carillon.sys.layout.Constants.EPOLLIN;

import dev.carillon.ClosedException;
import dev.carillon.sys.Fd;
import dev.carillon.sys.NativeBytes;
import dev.carillon.sys.call.Epoll;
import dev.carillon.sys.call.Sys;

/**
 * The eventfd that ends a poll. It is edge-triggered and never read: every write is an edge, and a read would cost a
 * system call per wakeup.
 *
 * <p><b>Threading:</b> {@link #ring}: any thread, also while the loop closes it; the rest: the loop's.
 *
 * <p><b>See:</b> eventfd(2).
 */
final class WakeBell implements AutoCloseable {
    private final Sys sys;
    private final Fd event;
    private final NativeBytes one;

    private WakeBell(Sys sys) {
        this.sys = sys;
        one = NativeBytes.allocate(sys.libc(), Long.BYTES);
        event = sys.clocks().event(0);
        // Nothing is added to its count, and the VM has linked what a poster must not fail in.
        ring();
        one.bytes().putLong(0, 1);
    }

    /** A bell whose events carry that data; if it cannot be had, the epoll descriptor is closed. */
    static WakeBell on(Epoll epoll, Sys sys, long data) {
        WakeBell bell = null;
        try {
            bell = new WakeBell(sys);
            epoll.add(bell.event.acquire(), EPOLLIN | EPOLLET, data);
            bell.event.release();
            return bell;
        } catch (RuntimeException | Error failure) {
            epoll.close();
            if (bell != null) {
                bell.event.close();
                bell.event.release();
            }
            throw failure;
        }
    }

    void ring() {
        int number;
        try {
            number = event.acquire();
        } catch (ClosedException loopHasEnded) {
            // Nobody is left to be woken.
            return;
        }
        try {
            sys.descriptors().write(number, one.address(), Long.BYTES);
        } finally {
            event.release();
        }
    }

    @Override
    public void close() {
        event.close();
        one.close();
    }
}

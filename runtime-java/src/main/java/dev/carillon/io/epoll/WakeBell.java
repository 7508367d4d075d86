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
        // This adds nothing to the count, and makes the VM link the call, in which a poster must not fail.
        ring();
        one.bytes().putLong(0, 1);
    }

    /** A bell whose events carry that data. If it cannot be made, this closes the epoll descriptor. */
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
            // The loop has ended and needs no wakeup.
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

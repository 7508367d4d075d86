package dev.carillon.process;

import dev.carillon.Signal;
import dev.carillon.SyscallException;
import dev.carillon.sys.Errno;
import dev.carillon.sys.Fd;
import dev.carillon.sys.Feature;
import dev.carillon.sys.call.ChildState;
import dev.carillon.sys.call.ProcessCalls;
import dev.carillon.sys.call.SignalCalls;
import dev.carillon.sys.call.Sys;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * One child as the kernel knows it: by a pidfd, or where none is to be had by its pid, which nobody else gets as long as
 * its end has not been taken.
 *
 * <p><b>Threading:</b> under the lock of its watch. No call blocks.
 */
final class ChildReference {
    private static final long REAP_PATIENCE_NANOS = 5_000_000_000L;
    private static final long REAP_PAUSE_NANOS = 100_000;

    private final ProcessCalls processes;
    private final SignalCalls signals;
    private int pid;
    private @Nullable Fd pidfd;
    private int number;

    ChildReference(Sys sys) {
        processes = sys.processes();
        signals = sys.signals();
    }

    void isProcess(int started) {
        pid = started;
    }

    int pid() {
        return pid;
    }

    /**
     * Gets a pidfd if there is none yet; false if none is to be had: the kernel or a container's profile has no
     * pidfd_open, no descriptor is free, or somebody else took the end of this child.
     */
    // r[impl process.without-pidfd]
    boolean open() {
        if (pidfd == null && Feature.PIDFD_OPEN.availability().isAvailable()) {
            try {
                Fd opened = processes.descriptorOf(pid);
                if (opened != null) {
                    number = opened.acquire();
                    pidfd = opened;
                }
            } catch (SyscallException | OutOfMemoryError notNow) {
                return false; // its end is looked for meanwhile, and this is tried again
            }
        }
        return pidfd != null;
    }

    /** The pidfd; only when open. */
    int number() {
        return number;
    }

    /** Takes its end, or returns null if it goes on; ECHILD if somebody else took it. */
    @Nullable
    ChildState reap() {
        return pidfd != null ? processes.reapDescriptorNow(number) : processes.reapNow(pid);
    }

    /** Whether it has ended, without taking its end. */
    boolean isOver() {
        return pidfd != null ? processes.isDescriptorOver(number) : processes.isOver(pid);
    }

    int send(int signal) {
        if (pidfd != null) {
            try {
                return signals.sendToDescriptor(number, signal);
            } catch (SyscallException refused) {
                ensureHidden(refused);
            }
        }
        return processes.isOver(pid) ? -Errno.ESRCH : signals.send(pid, signal);
    }

    int queue(int signal, int value) {
        if (pidfd != null) {
            try {
                return signals.queueToDescriptor(number, signal, value);
            } catch (SyscallException refused) {
                ensureHidden(refused);
            }
        }
        return processes.isOver(pid) ? -Errno.ESRCH : signals.queue(pid, signal, value);
    }

    /** A profile that hides pidfd_send_signal says so; where the kernel itself refuses, kill(2) is refused, too. */
    private static void ensureHidden(SyscallException refused) {
        if (refused.errno() != Errno.ENOSYS && refused.errno() != Errno.EPERM) {
            throw refused;
        }
    }

    /** Ends it, and takes its end; for a start that failed behind the spawn. */
    void endNow() {
        try {
            signals.send(pid, Signal.SIGKILL.number());
            long deadline = System.nanoTime() + REAP_PATIENCE_NANOS;
            while (!processes.isOver(pid) && System.nanoTime() - deadline < 0) {
                LockSupport.parkNanos(REAP_PAUSE_NANOS);
            }
            processes.forget(pid);
        } finally {
            close();
        }
    }

    void close() {
        if (pidfd != null) {
            pidfd.close();
            pidfd.release();
            pidfd = null;
        }
    }
}

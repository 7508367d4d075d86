package dev.carillon.process;

import static dev.carillon.sys.layout.Constants.CLD_DUMPED;
import static dev.carillon.sys.layout.Constants.CLD_EXITED;

import dev.carillon.ExitStatus;
import dev.carillon.Signal;
import dev.carillon.SyscallException;
import dev.carillon.sys.Errno;
import dev.carillon.sys.Failure;
import dev.carillon.sys.Fd;
import dev.carillon.sys.Feature;
import dev.carillon.sys.call.ChildState;
import dev.carillon.sys.call.ProcessCalls;
import dev.carillon.sys.call.SignalCalls;
import dev.carillon.sys.call.Sys;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * One child as the kernel knows it: by a pidfd, or without one by its pid, which the kernel gives to no other process as
 * long as the end of the child has not been taken.
 *
 * <p><b>Threading:</b> under the lock of its watch. No call blocks.
 */
final class ChildReference {
    private static final long REAP_PATIENCE_NANOS = 5_000_000_000L;
    private static final long REAP_PAUSE_NANOS = 100_000;

    private final ProcessCalls processes;
    private final SignalCalls signals;
    private int pid;
    private @Nullable Pidfd pidfd;

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
     * The pidfd, which is opened if there is none yet; {@link Lookout#NO_PIDFD} if there is none to get: the kernel or a
     * container's profile has no pidfd_open, no descriptor is free, or foreign code took the end of this child.
     */
    // r[impl process.without-pidfd]
    int open() {
        if (pidfd == null && Feature.PIDFD_OPEN.availability().isAvailable()) {
            try {
                Fd opened = processes.descriptorOf(pid);
                pidfd = opened == null ? null : Pidfd.opened(opened);
            } catch (SyscallException | OutOfMemoryError notNow) {
                return Lookout.NO_PIDFD; // its end is looked for meanwhile, and this is tried again
            }
        }
        return pidfd == null ? Lookout.NO_PIDFD : pidfd.number();
    }

    /** Takes its end, or returns null if it goes on; ECHILD if foreign code took it. */
    @Nullable
    ExitStatus reap() {
        ChildState state = pidfd != null ? processes.reapDescriptorNow(pidfd.number()) : processes.reapNow(pid);
        if (state == null) {
            return null;
        }
        return state.code() == CLD_EXITED
                ? ExitStatus.exited(state.status())
                : ExitStatus.terminated(Signal.of(state.status()), state.code() == CLD_DUMPED);
    }

    /** Whether it has ended, without taking its end. */
    boolean isOver() {
        return pidfd != null ? processes.isDescriptorOver(pidfd.number()) : processes.isOver(pid);
    }

    /** Sends a signal; false if it has ended. */
    boolean send(int signal) {
        if (pidfd != null) {
            try {
                return isSent(signals.sendToDescriptor(pidfd.number(), signal));
            } catch (SyscallException refused) {
                ensureHidden(refused);
            }
        }
        return !processes.isOver(pid) && isSent(signals.send(pid, signal));
    }

    /** Sends a signal with a value; false if it has ended. */
    boolean queue(int signal, int value) {
        if (pidfd != null) {
            try {
                return isSent(signals.queueToDescriptor(pidfd.number(), signal, value));
            } catch (SyscallException refused) {
                ensureHidden(refused);
            }
        }
        return !processes.isOver(pid) && isSent(signals.queue(pid, signal, value));
    }

    private static boolean isSent(int result) {
        if (result == -Errno.EAGAIN) {
            throw Failure.of("pidfd_send_signal", result, "too many signals are pending (ulimit -i)");
        }
        return result == 0;
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
            pidfd = null;
        }
    }
}

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
    private boolean taken;
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
        taken = state != null;
        return statusOf(state);
    }

    /** As {@link #reap}, but its end stays to be taken, and its number stays its own. */
    @Nullable
    ExitStatus look() {
        return statusOf(processes.lookNow(pid));
    }

    /** Its end was taken, whoever did it: the number may be that of another child of ours by now. */
    void isTaken() {
        taken = true;
    }

    private static @Nullable ExitStatus statusOf(@Nullable ChildState state) {
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

    /**
     * Sends a signal to the group that it leads; false if nobody is in that.
     *
     * <p>The pidfd names the very group, also when this child is gone (Linux 6.9). The number of the group names it as long as
     * the end of this child was not taken; afterwards it may be the number of strangers.
     */
    // r[impl process.group-signal]
    boolean sendToGroup(int signal) {
        if (pidfd != null) {
            try {
                int result = signals.sendToGroupOfDescriptor(pidfd.number(), signal);
                if (result != -Errno.EINVAL) {
                    return isSent(result);
                }
            } catch (SyscallException refused) {
                if (taken) {
                    throw refused;
                }
                ensureHidden(refused);
            }
        }
        return !taken && processes.isChild(pid) && isSent(signals.sendToGroup(pid, signal));
    }

    /** Whether the pidfd reaches the group that it leads, and somebody is in that. */
    boolean reachesGroup() {
        if (pidfd == null) {
            return false;
        }
        try {
            return signals.sendToGroupOfDescriptor(pidfd.number(), 0) == 0;
        } catch (SyscallException hidden) {
            return false; // or nobody there may be sent a signal
        }
    }

    /** Whether the pidfd tells if somebody is in the group that it leads. */
    boolean tellsOfGroup() {
        if (pidfd == null) {
            return false;
        }
        try {
            int result = signals.sendToGroupOfDescriptor(pidfd.number(), 0);
            return result == 0 || result == -Errno.ESRCH;
        } catch (SyscallException hidden) {
            return false;
        }
    }

    /** Whether it goes on and is no longer in the group that it led; not seen while other children of ours are there. */
    boolean hasLeftGroup() {
        return !taken && !processes.isOver(pid) && !processes.hasChildIn(pid);
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

    /** Takes its end, which was seen, if it was not taken. */
    void forget() {
        if (!taken) {
            taken = true;
            processes.forget(pid);
        }
    }

    boolean isOpen() {
        return pidfd != null;
    }

    void close() {
        if (pidfd != null) {
            pidfd.close();
            pidfd = null;
        }
    }
}

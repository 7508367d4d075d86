package dev.carillon.process;

import dev.carillon.Availability;
import dev.carillon.SyscallException;
import dev.carillon.sys.Errno;
import dev.carillon.sys.Fd;
import dev.carillon.sys.Feature;
import dev.carillon.sys.call.Sys;

/**
 * A process that need not be a child, by its pidfd.
 *
 * @param startTime in clock ticks since the boot, or {@link dev.carillon.sys.call.ProcessCalls#UNKNOWN_TIME}
 */
record OpenProcess(int pid, Pidfd pidfd, long startTime) {
    /** Opens it; pidfd and start time are those of one process. */
    // r[impl process.watch-refused]
    static OpenProcess of(Sys sys, int pid) {
        Availability pidfds = Feature.PIDFD_OPEN.availability();
        if (!pidfds.isAvailable()) {
            throw ProcessWatchException.noPidfd(pid, pidfds);
        }
        try {
            Fd fd = sys.processes().descriptorOf(pid);
            if (fd == null) {
                throw ProcessWatchException.noSuchProcess(pid);
            }
            return of(sys, pid, Pidfd.opened(fd));
        } catch (SyscallException failure) {
            throw ProcessWatchException.of(pid, failure);
        }
    }

    /** Of a pidfd that was opened by that number; closed if this fails. */
    static OpenProcess of(Sys sys, int pid, Pidfd pidfd) {
        boolean opened = false;
        try {
            long startTime = sys.processes().startTime(pid);
            ensureHasItsNumber(sys, pid, pidfd.number());
            OpenProcess process = new OpenProcess(pid, pidfd, startTime);
            opened = true;
            return process;
        } finally {
            if (!opened) {
                pidfd.close();
            }
        }
    }

    /**
     * The number stays that of the process until its end was taken. So if it has not been taken by now, the start time that
     * was read by that number is its own.
     */
    // r[impl process.watch-recycled]
    private static void ensureHasItsNumber(Sys sys, int pid, int pidfd) {
        if (sys.processes().hasEnded(pidfd) && isTaken(sys, pidfd)) {
            throw ProcessWatchException.noSuchProcess(pid);
        }
    }

    /** Asked of a process that has ended: a zombie takes signals, or refuses those of another user. */
    private static boolean isTaken(Sys sys, int pidfd) {
        try {
            return sys.signals().sendToDescriptor(pidfd, 0) == -Errno.ESRCH;
        } catch (SyscallException refused) {
            return false;
        }
    }
}

package dev.carillon.signal;

import dev.carillon.Signal;
import dev.carillon.SignalSet;
import dev.carillon.sys.Errno;
import dev.carillon.sys.Failure;
import dev.carillon.sys.call.Sys;

/**
 * Sends signals to processes.
 *
 * <p><b>Threading:</b> any thread.
 *
 * <p><b>See:</b> kill(2), sigqueue(3).
 */
public final class Signals {
    private Signals() {}

    /**
     * Sends a signal.
     *
     * @param pid a process, 1 or more
     * @return false if there is no such process
     * @throws dev.carillon.SyscallException if the sender may not do that (EPERM)
     */
    public static boolean send(int pid, Signal signal) {
        return sent("kill", Sys.get().signals().send(pid, signal.number()), pid, signal);
    }

    /**
     * Sends a signal with a value, which real-time signals keep for each time that they are sent.
     *
     * @param pid a process, 1 or more
     * @param value what {@link dev.carillon.SignalInfo#value()} is to be
     * @return false if there is no such process
     * @throws dev.carillon.SyscallException if the sender may not do that (EPERM), or if the user's queue is full
     *     (EAGAIN): send it again later
     */
    public static boolean queue(int pid, Signal signal, long value) {
        return sent("rt_sigqueueinfo", Sys.get().signals().queue(pid, signal.number(), value), pid, signal);
    }

    /**
     * Whether a service can have a signal, as far as this is known without trying: not those that the kernel, the VM or the C
     * library keep for themselves.
     */
    public static boolean canBeAttached(Signal signal) {
        try {
            ForbiddenSignals.check(SignalSet.of(signal));
            return true;
        } catch (IllegalArgumentException kept) {
            return false;
        }
    }

    private static boolean sent(String call, int result, int pid, Signal signal) {
        if (result == -Errno.EAGAIN) {
            throw Failure.of(call, result, "pid=" + pid + ", signal=" + signal);
        }
        return result == 0;
    }
}

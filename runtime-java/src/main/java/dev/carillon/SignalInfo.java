package dev.carillon;

import java.util.Objects;

/**
 * What is known of a signal that came.
 *
 * <p>{@link #sender()} tells how far the sender can be believed.
 *
 * <p><b>Threading:</b> immutable.
 *
 * <p><b>See:</b> siginfo_t in sigaction(2).
 *
 * @param signal which one
 * @param code why it came: SI_USER (0) from kill(2), SI_TKILL (-6) from tgkill(2), negative if it was queued, positive
 *     if the kernel sent it; for SIGCHLD what became of the child (CLD_EXITED is 1)
 * @param pid the process that sent it, as our pid namespace sees it, or for SIGCHLD the child; 0 if that is outside of
 *     our namespace or the kernel; -1 if nothing is known
 * @param uid the sender's user, -1 if nothing is known
 * @param status for SIGCHLD the exit code or the signal that ended the child; for a timer how often it ran over
 * @param errno an error number, nearly always 0
 * @param value what a queued signal carries; for SIGIO the descriptor
 */
public record SignalInfo(Signal signal, int code, int pid, int uid, int status, int errno, long value) {
    private static final int SI_USER = 0;
    private static final int SI_TKILL = -6;
    private static final int NOBODY = -1;

    /** Checks for null. */
    public SignalInfo {
        Objects.requireNonNull(signal, "signal");
    }

    /** A signal of which nothing more is known. */
    public static SignalInfo of(Signal signal) {
        return new SignalInfo(signal, SI_USER, NOBODY, NOBODY, 0, 0, 0);
    }

    /** Who sent it, and how far that can be believed. */
    // r[impl signal.siginfo]
    public Sender sender() {
        if (code == SI_USER || code == SI_TKILL) {
            return pid > 0 ? Sender.PROCESS : pid == 0 ? Sender.OTHER_NAMESPACE : Sender.UNKNOWN;
        }
        return code > 0 ? Sender.KERNEL : Sender.CLAIMED;
    }

    /** How far the sender can be believed. */
    public enum Sender {
        /** Another process, or this one: the kernel vouches for pid and uid. */
        PROCESS,

        /** It was queued, and pid and uid are what its sender wrote there. */
        CLAIMED,

        /** The kernel itself: a key at the terminal, an alarm, the state of a child. */
        KERNEL,

        /** A process that our pid namespace cannot see, as the one that stops a container; uid is right. */
        OTHER_NAMESPACE,

        /** Nothing is known: the signal came through the JVM, or the user's queue was full. */
        UNKNOWN
    }
}

package dev.carillon;

import org.jspecify.annotations.Nullable;

/**
 * How a process ended.
 *
 * <p><b>Threading:</b> immutable.
 *
 * <p><b>See:</b> waitid(2).
 *
 * @param code the exit code, or 128 and the signal's number, as a shell says it
 * @param signal what terminated it, or null if it ended by itself
 * @param coreDumped whether it left a core
 */
public record ExitStatus(int code, @Nullable Signal signal, boolean coreDumped) {
    private static final int BY_SIGNAL = 128;

    /** It ended by itself. */
    public static ExitStatus exited(int code) {
        return new ExitStatus(code, null, false);
    }

    /** A signal terminated it. */
    public static ExitStatus terminated(Signal signal, boolean coreDumped) {
        return new ExitStatus(BY_SIGNAL + signal.number(), signal, coreDumped);
    }

    /** Whether it ended by itself, with code 0. */
    public boolean isSuccess() {
        return code == 0;
    }

    /** As in {@code exit code 3} or {@code terminated by SIGKILL}. */
    @Override
    public String toString() {
        return signal == null
                ? "exit code " + code
                : "terminated by " + signal.name() + (coreDumped ? ", core dumped" : "");
    }
}

package dev.carillon.test.proc;

import java.util.List;
import java.util.Optional;

/**
 * The signal words of a {@code status} file; bit n-1 stands for signal n.
 *
 * <p><b>See</b> proc_pid_status(5).
 *
 * @param blocked the mask of the one task
 * @param ignored signals that the process ignores
 * @param caught signals that the process has a handler for
 */
public record SignalState(long blocked, long ignored, long caught) {
    /** Highest signal number of Linux on x86-64 and aarch64. */
    public static final int LAST_SIGNAL = 64;

    /** Reads {@code folder/status}, or nothing when the task has ended. */
    public static Optional<SignalState> read(String folder) {
        return ProcFile.linesIfPresent(folder + "/status").map(SignalState::parse);
    }

    /** Parses the lines of a {@code status} file. */
    public static SignalState parse(List<String> status) {
        return new SignalState(word(status, "SigBlk"), word(status, "SigIgn"), word(status, "SigCgt"));
    }

    /** What the process does with a signal: {@code default}, {@code ignored} or {@code caught}. */
    public String disposition(int signal) {
        if (has(ignored, signal)) {
            return "ignored";
        }
        return has(caught, signal) ? "caught" : "default";
    }

    /** Whether a word holds a signal. */
    public static boolean has(long word, int signal) {
        return (word >>> (signal - 1) & 1) != 0;
    }

    private static long word(List<String> status, String name) {
        return ProcFile.field(status, name)
                .map(hex -> Long.parseUnsignedLong(hex, 16))
                .orElseThrow(() -> new IllegalArgumentException("No line " + name + " in status=" + status));
    }
}

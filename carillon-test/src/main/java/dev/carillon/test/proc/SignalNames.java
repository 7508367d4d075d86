package dev.carillon.test.proc;

/** Names of signals, for messages. The numbers are those of Linux on x86-64 and aarch64. */
public final class SignalNames {
    private static final int FIRST_REALTIME = 34;
    private static final String[] NAMES = {
        "HUP", "INT", "QUIT", "ILL", "TRAP", "ABRT", "BUS", "FPE", "KILL", "USR1", "SEGV", "USR2", "PIPE", "ALRM",
        "TERM", "STKFLT", "CHLD", "CONT", "STOP", "TSTP", "TTIN", "TTOU", "URG", "XCPU", "XFSZ", "VTALRM", "PROF",
        "WINCH", "IO", "PWR", "SYS"
    };

    private SignalNames() {}

    /** {@code SIGTERM (15)}, {@code SIGRTMIN+2 (36)}. */
    public static String describe(int signal) {
        return name(signal) + " (" + signal + ")";
    }

    private static String name(int signal) {
        if (signal >= 1 && signal <= NAMES.length) {
            return "SIG" + NAMES[signal - 1];
        }
        if (signal == FIRST_REALTIME) {
            return "SIGRTMIN";
        }
        return signal > FIRST_REALTIME ? "SIGRTMIN+" + (signal - FIRST_REALTIME) : "signal";
    }
}

package dev.carillon;

import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * A signal of Linux, 1 to 64.
 *
 * <p>Its name can be given in every form that people and programs use: {@code SIGTERM}, {@code TERM}, {@code term} or
 * {@code 15}; {@code SIGRTMIN+2}, {@code RTMAX-1}; the old names {@code IOT}, {@code POLL} and {@code CLD}.
 *
 * <p><b>Threading:</b> immutable; there is one object per signal.
 *
 * <p><b>See:</b> signal(7).
 */
public final class Signal implements Comparable<Signal> {
    /** The highest number. */
    public static final int LAST = 64;

    /** The first real-time signal that programs may use; glibc keeps 32 and 33. */
    private static final int RTMIN = 34;

    private static final List<String> NAMES = List.of(
            "HUP", "INT", "QUIT", "ILL", "TRAP", "ABRT", "BUS", "FPE", "KILL", "USR1", "SEGV", "USR2", "PIPE", "ALRM",
            "TERM", "STKFLT", "CHLD", "CONT", "STOP", "TSTP", "TTIN", "TTOU", "URG", "XCPU", "XFSZ", "VTALRM", "PROF",
            "WINCH", "IO", "PWR", "SYS");
    private static final Map<String, Integer> OLD_NAMES = Map.of("IOT", 6, "CLD", 17, "POLL", 29);

    private static final Signal[] ALL = all();
    private static final Map<String, Signal> BY_NAME = byName();

    /** A terminal or its connection went away; by custom: read the configuration again. */
    public static final Signal SIGHUP = of(1);

    /** Interrupt from the keyboard, Ctrl-C. */
    public static final Signal SIGINT = of(2);

    /** Quit from the keyboard, Ctrl-\; in a JVM also a request for a thread dump. */
    public static final Signal SIGQUIT = of(3);

    /** Illegal instruction. */
    public static final Signal SIGILL = of(4);

    /** Breakpoint. */
    public static final Signal SIGTRAP = of(5);

    /** Abort. */
    public static final Signal SIGABRT = of(6);

    /** Memory that has no backing. */
    public static final Signal SIGBUS = of(7);

    /** Arithmetic error. */
    public static final Signal SIGFPE = of(8);

    /** The end, without any say in it. */
    public static final Signal SIGKILL = of(9);

    /** For programs to use. */
    public static final Signal SIGUSR1 = of(10);

    /** Memory that may not be accessed so. */
    public static final Signal SIGSEGV = of(11);

    /** For programs to use. */
    public static final Signal SIGUSR2 = of(12);

    /** Written to a pipe or socket that has no reader. */
    public static final Signal SIGPIPE = of(13);

    /** The timer of alarm(2). */
    public static final Signal SIGALRM = of(14);

    /** A request to end. */
    public static final Signal SIGTERM = of(15);

    /** A child has changed its state. */
    public static final Signal SIGCHLD = of(17);

    /** Go on after a stop. */
    public static final Signal SIGCONT = of(18);

    /** Stop, without any say in it. */
    public static final Signal SIGSTOP = of(19);

    /** Stop from the keyboard, Ctrl-Z. */
    public static final Signal SIGTSTP = of(20);

    /** Read from the terminal in the background. */
    public static final Signal SIGTTIN = of(21);

    /** Wrote to the terminal in the background. */
    public static final Signal SIGTTOU = of(22);

    /** Urgent data on a socket. */
    public static final Signal SIGURG = of(23);

    /** Limit of processor time. */
    public static final Signal SIGXCPU = of(24);

    /** Limit of file size. */
    public static final Signal SIGXFSZ = of(25);

    /** A timer of processor time. */
    public static final Signal SIGVTALRM = of(26);

    /** A timer of processor and system time. */
    public static final Signal SIGPROF = of(27);

    /** The terminal has a new size. */
    public static final Signal SIGWINCH = of(28);

    /** Input or output is possible. */
    public static final Signal SIGIO = of(29);

    /** Power fails. */
    public static final Signal SIGPWR = of(30);

    /** System call that is not allowed. */
    public static final Signal SIGSYS = of(31);

    private final int number;
    private final String name;

    private Signal(int number, String name) {
        this.number = number;
        this.name = name;
    }

    /**
     * By number.
     *
     * @throws IllegalArgumentException unless it is 1 to 64
     */
    public static Signal of(int number) {
        if (number < 1 || number > LAST) {
            throw new IllegalArgumentException("number=" + number + ": signals are 1 to " + LAST);
        }
        return ALL[number - 1];
    }

    /**
     * A real-time signal: SIGRTMIN+n.
     *
     * @param n 0 to 30
     */
    public static Signal realtime(int n) {
        if (n < 0 || n > LAST - RTMIN) {
            throw new IllegalArgumentException("n=" + n + ": there are SIGRTMIN+0 to SIGRTMIN+" + (LAST - RTMIN));
        }
        return of(RTMIN + n);
    }

    /**
     * By name or number, in any form.
     *
     * @throws IllegalArgumentException if there is no such signal
     */
    public static Signal named(String name) {
        String key = name.strip().toUpperCase(Locale.ROOT);
        Signal found = BY_NAME.get(key.startsWith("SIG") ? key.substring("SIG".length()) : key);
        if (found == null) {
            throw new IllegalArgumentException("name=" + name
                    + ": no such signal; write SIGTERM, TERM or 15, and SIGRTMIN+2 or RTMAX-1 for real-time signals");
        }
        return found;
    }

    private static Signal[] all() {
        Signal[] all = new Signal[LAST];
        for (int number = 1; number <= LAST; number++) {
            all[number - 1] = new Signal(number, nameOf(number));
        }
        return all;
    }

    private static String nameOf(int number) {
        if (number <= NAMES.size()) {
            return "SIG" + NAMES.get(number - 1);
        }
        if (number < RTMIN) {
            return "SIG" + number;
        }
        return number == RTMIN ? "SIGRTMIN" : number == LAST ? "SIGRTMAX" : "SIGRTMIN+" + (number - RTMIN);
    }

    private static Map<String, Signal> byName() {
        Map<String, Signal> names = new HashMap<>();
        for (Signal signal : ALL) {
            names.put(Integer.toString(signal.number), signal);
            names.put(signal.name.substring("SIG".length()), signal);
            if (signal.isRealtime()) {
                names.put("RTMIN+" + (signal.number - RTMIN), signal);
                names.put("RTMAX-" + (LAST - signal.number), signal);
            }
        }
        for (Map.Entry<String, Integer> old : OLD_NAMES.entrySet()) {
            names.put(old.getKey(), of(old.getValue()));
        }
        return names;
    }

    /** 1 to 64. */
    public int number() {
        return number;
    }

    /** As in {@code SIGTERM} or {@code SIGRTMIN+2}. */
    public String name() {
        return name;
    }

    /** Whether it is one of those that queue and carry a value. */
    public boolean isRealtime() {
        return number >= RTMIN;
    }

    @Override
    public int compareTo(Signal other) {
        return Integer.compare(number, other.number);
    }

    @Override
    public boolean equals(Object other) {
        return this == other;
    }

    @Override
    public int hashCode() {
        return number;
    }

    @Override
    public String toString() {
        return name;
    }
}

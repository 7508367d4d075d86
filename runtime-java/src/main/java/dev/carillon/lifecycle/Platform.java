package dev.carillon.lifecycle;

import dev.carillon.Signal;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * An operating system, as far as signals differ on it. What a lifecycle does depends on this value and not on the system
 * itself, so a test can try each one anywhere.
 *
 * <p><b>Threading:</b> immutable.
 */
public enum Platform {
    /** Has every signal. */
    LINUX("linux", 10, 12),
    /** Has other numbers for USR1 and USR2. */
    MACOS("darwin", 30, 31),
    /** Has the numbers of macOS. */
    FREEBSD("freebsd", 30, 31),
    /** Has events of its console in place of three signals, and nothing in place of the others. */
    WINDOWS("windows", 10, 12);

    /** What a shell adds to the number of a signal that ended a process. */
    private static final int SIGNALLED = 128;

    /** Those of the catalog; beside USR1 and USR2 they have one number everywhere. */
    private static final Set<Signal> KNOWN = Set.of(
            Signal.SIGHUP,
            Signal.SIGINT,
            Signal.SIGQUIT,
            Signal.SIGKILL,
            Signal.SIGUSR1,
            Signal.SIGUSR2,
            Signal.SIGPIPE,
            Signal.SIGALRM,
            Signal.SIGTERM);

    private static final Map<Signal, WindowsEvent> EVENTS = Map.of(
            Signal.SIGINT, WindowsEvent.CTRL_C_EVENT,
            Signal.SIGQUIT, WindowsEvent.CTRL_BREAK_EVENT,
            Signal.SIGTERM, WindowsEvent.CTRL_CLOSE_EVENT);

    private final String id;
    private final int usr1;
    private final int usr2;

    Platform(String id, int usr1, int usr2) {
        this.id = id;
        this.usr1 = usr1;
        this.usr2 = usr2;
    }

    /** The one that this process runs on. A system that is none of the four counts as Linux. */
    public static Platform current() {
        return named(System.getProperty("os.name", ""));
    }

    /** From the words of the property os.name. */
    static Platform named(String system) {
        String name = system.toLowerCase(Locale.ROOT);
        if (name.startsWith("windows")) {
            return WINDOWS;
        }
        if (name.startsWith("mac") || name.startsWith("darwin")) {
            return MACOS;
        }
        return name.startsWith("freebsd") ? FREEBSD : LINUX;
    }

    /** As the catalog and log records write it: linux, darwin, freebsd or windows. */
    public String id() {
        return id;
    }

    /**
     * The number of a signal here. Windows has no numbers of its own and uses those of Linux in exit codes.
     *
     * @throws IllegalArgumentException if the catalog does not describe the signal and this is not Linux
     */
    public int number(Signal signal) {
        if (this != LINUX && !KNOWN.contains(signal)) {
            throw new IllegalArgumentException("signal=" + signal + ": its number on " + id
                    + " is not known; SignalCatalog.entries() lists the signals with known numbers");
        }
        if (signal.equals(Signal.SIGUSR1)) {
            return usr1;
        }
        return signal.equals(Signal.SIGUSR2) ? usr2 : signal.number();
    }

    /**
     * What a process exits with after this signal: 128 and the number.
     *
     * @throws IllegalArgumentException as from {@link #number}
     */
    public int exitCode(Signal signal) {
        return SIGNALLED + number(signal);
    }

    /** Whether the system delivers this signal. Elsewhere than on Linux, a signal without a known number is unsupported. */
    public SignalSupport support(Signal signal) {
        if (this == WINDOWS) {
            return EVENTS.containsKey(signal) ? SignalSupport.MAPPED : SignalSupport.UNSUPPORTED;
        }
        return this == LINUX || KNOWN.contains(signal) ? SignalSupport.NATIVE : SignalSupport.UNSUPPORTED;
    }
}

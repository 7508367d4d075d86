package dev.carillon.sys.call;

/**
 * What a signal does.
 *
 * @param handler the address of a C function, or {@link #DEFAULT} or {@link #IGNORE}
 * @param flags SA_ flags
 * @param mask the signals that are blocked while the handler runs, bit n - 1 for signal n
 */
public record SignalAction(long handler, int flags, long mask) {
    /** What the kernel does by itself. */
    public static final long DEFAULT = 0;

    /** Nothing at all. */
    public static final long IGNORE = 1;
}

package dev.carillon.lifecycle;

/**
 * How a process ends.
 *
 * <p><b>Threading:</b> called on threads of the lifecycle.
 */
public interface ExitHook {
    /** Ends the process in good order, with the shutdown hooks of all libraries: {@code System.exit}. */
    void exit(int code);

    /**
     * Ends the process at once: {@code Runtime.halt}. Called on the loop that decides what a signal leads to: where this blocks,
     * no further signal is decided on.
     */
    void halt(int code);

    /** That of the virtual machine. */
    static ExitHook ofVm() {
        return VmExit.INSTANCE;
    }
}

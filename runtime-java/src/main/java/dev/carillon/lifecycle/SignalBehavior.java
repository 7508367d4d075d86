package dev.carillon.lifecycle;

import java.util.List;
import java.util.Locale;

/** What a signal has a program do; each behaviour has named phases. */
public enum SignalBehavior {
    /** Ends in good order. */
    GRACEFUL_SHUTDOWN(
            "Takes no more work, finishes what has begun, cleans up before one deadline, and exits with 128+N.",
            "notify",
            "stop_accepting",
            "drain",
            "cleanup",
            "exit"),
    /** Ends in good order, or at once at the second signal. */
    GRACEFUL_SHUTDOWN_WITH_DOUBLE_TAP(
            "Shuts down gracefully at the first signal; a second one within the window ends the process at once.",
            "first_signal",
            "second_signal_check",
            "notify",
            "stop_accepting",
            "drain",
            "cleanup",
            "exit"),
    /** Ends so that a supervisor starts the program with its new configuration. */
    RELOAD_VIA_RESTART(
            "Validates the new configuration. A valid one leads to a graceful shutdown, after which a supervisor "
                    + "starts the program again; an invalid one is logged, and the process runs on.",
            "notify",
            "validate",
            "reject_invalid",
            "graceful_shutdown",
            "exit",
            "restart"),
    /** Ends without cleanup. */
    IMMEDIATE_EXIT("Exits with 128+N and runs no cleanup.", "notify", "exit"),
    /** What the program has decided. */
    CUSTOM("Calls the handlers of the program, which decide what the signal means.", "delegate", "log_completion"),
    /** Nothing but a count. */
    OBSERVE_ONLY("Counts the signal and changes nothing.", "notify", "telemetry", "continue");

    private final String description;
    private final String phases;

    SignalBehavior(String description, String... phases) {
        this.description = description;
        this.phases = String.join(" ", phases);
    }

    /** As the catalog writes it, as in {@code graceful_shutdown}. */
    public String id() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** In a sentence or two. */
    public String description() {
        return description;
    }

    /** The names of its phases, in order. */
    public List<String> phases() {
        return List.of(phases.split(" ", -1));
    }
}

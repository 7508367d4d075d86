package dev.carillon;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Whether something that depends on the machine (a kernel call, a library) can be used here, and if not, why.
 *
 * <p>The answer comes from trying it once, not from comparing versions.
 *
 * <p><b>Threading:</b> immutable.
 */
public final class Availability {
    private final String subject;
    private final @Nullable Throwable cause;

    private Availability(String subject, @Nullable Throwable cause) {
        this.subject = subject;
        this.cause = cause;
    }

    /**
     * The answer for something that was tried and works.
     *
     * @param subject what was tried
     */
    public static Availability available(String subject) {
        return new Availability(subject, null);
    }

    /**
     * The answer for something that was tried and does not work.
     *
     * @param subject what was tried
     * @param cause what came of it
     */
    public static Availability unavailable(String subject, Throwable cause) {
        return new Availability(subject, Objects.requireNonNull(cause, "cause"));
    }

    /** What was tried. */
    public String subject() {
        return subject;
    }

    /** Whether it can be used. */
    public boolean isAvailable() {
        return cause == null;
    }

    /** Why it cannot be used, or null if it can. */
    public @Nullable Throwable unavailabilityCause() {
        return cause;
    }

    /**
     * Returns if it can be used.
     *
     * @throws UnsupportedOperationException if it cannot, with the cause
     */
    public void ensureAvailability() {
        if (cause != null) {
            throw new UnsupportedOperationException(toString(), cause);
        }
    }

    /** One line for a person: the subject, and the cause where there is one. */
    @Override
    public String toString() {
        if (cause == null) {
            return subject + " is available";
        }
        String why = cause.getMessage();
        return subject + " is not available: " + (why == null ? cause.toString() : why);
    }
}

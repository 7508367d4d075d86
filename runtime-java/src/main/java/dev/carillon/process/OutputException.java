package dev.carillon.process;

import java.io.Serial;

/**
 * A child did not end in the time that its caller gave it, and was ended.
 *
 * <p><b>Threading:</b> immutable.
 */
public final class OutputException extends RuntimeException {
    @Serial
    private static final long serialVersionUID = 1L;

    private final transient Output output;

    OutputException(String message, Output output) {
        super(message);
        this.output = output;
    }

    /** How it ended then, and what it had written. */
    public Output output() {
        return output;
    }
}

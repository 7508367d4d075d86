package dev.carillon;

import java.io.Serial;

/**
 * Something was used after it was closed, or was closed while a wait on it was under way.
 *
 * <p><b>Threading:</b> immutable.
 */
public final class ClosedException extends IllegalStateException {
    @Serial
    private static final long serialVersionUID = 1L;

    /**
     * Says what is closed.
     *
     * @param message what was closed, and what was tried
     */
    public ClosedException(String message) {
        super(message);
    }
}

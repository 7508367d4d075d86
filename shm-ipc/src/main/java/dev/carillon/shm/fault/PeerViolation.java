package dev.carillon.shm.fault;

import java.io.Serial;

/**
 * The peer has written what no correct peer writes. The link ends by it.
 *
 * <p>Bytes that were closed or truncated read as zeros, which looks the same: whoever catches this asks first whether the
 * region is still whole.
 *
 * <p><b>Threading:</b> immutable.
 */
public abstract class PeerViolation extends RuntimeException {
    @Serial
    private static final long serialVersionUID = 1L;

    private final String reason;

    /**
     * Says what was found.
     *
     * @param reason what it is about, in one word that users see
     */
    protected PeerViolation(String reason, String message) {
        super(message);
        this.reason = reason;
    }

    /** What it is about, in one word. */
    public final String reason() {
        return reason;
    }
}

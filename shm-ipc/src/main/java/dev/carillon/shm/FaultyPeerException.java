package dev.carillon.shm;

import dev.carillon.shm.fault.PeerViolation;
import java.io.Serial;

/**
 * The peer has written what no correct peer writes, so it is mistaken or hostile, and the link is over: each call on it fails
 * with this. Close the link; other links go on.
 *
 * <p><b>Threading:</b> immutable.
 */
// r[impl shm.faulty-peer.told]
public final class FaultyPeerException extends IllegalStateException {
    @Serial
    private static final long serialVersionUID = 1L;

    private final String reason;

    FaultyPeerException(String what, PeerViolation cause) {
        super(what + cause.getMessage(), cause);
        reason = cause.reason();
    }

    private FaultyPeerException(String message, String reason) {
        super(message);
        this.reason = reason;
    }

    /** The peer does nothing but change the link word. */
    static FaultyPeerException ofLinkWord(String message) {
        return new FaultyPeerException(message, "LINK_WORD");
    }

    /** What it has written, in one word: COUNTER, ENTRY, SLOT, CHANNEL or LINK_WORD. */
    public String reason() {
        return reason;
    }
}

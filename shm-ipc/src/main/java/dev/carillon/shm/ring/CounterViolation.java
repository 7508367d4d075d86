package dev.carillon.shm.ring;

/**
 * The other side's counter has a value that no correct peer can publish.
 *
 * <p>Bytes that were closed or truncated read as zeros, which looks the same: whoever catches this asks first whether the
 * region is still whole.
 */
public final class CounterViolation extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private CounterViolation(String message) {
        super(message);
    }

    static CounterViolation ofTail(long found, long before, long head, int capacity) {
        return new CounterViolation("the peer is faulty: its tail must be from " + before + " to our head: tail="
                + found + " head=" + head + " capacity=" + capacity);
    }

    static CounterViolation ofHead(long found, long before, long tail, int capacity) {
        return new CounterViolation("the peer is faulty: its head must be from " + before
                + " to our tail + capacity: head=" + found + " tail=" + tail + " capacity=" + capacity);
    }
}

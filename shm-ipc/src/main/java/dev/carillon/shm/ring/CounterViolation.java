package dev.carillon.shm.ring;

import dev.carillon.shm.fault.PeerViolation;

/**
 * The other side's counter has a value that no correct peer can publish.
 */
public final class CounterViolation extends PeerViolation {
    private static final long serialVersionUID = 1L;

    private CounterViolation(String message) {
        super("COUNTER", message);
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

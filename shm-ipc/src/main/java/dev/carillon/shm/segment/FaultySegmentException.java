package dev.carillon.shm.segment;

import dev.carillon.shm.fault.PeerViolation;
import java.io.Serial;

/**
 * What stands in the memory of a link cannot be believed.
 *
 * <p><b>Threading:</b> immutable.
 */
public final class FaultySegmentException extends PeerViolation {
    @Serial
    private static final long serialVersionUID = 1L;

    private final SegmentFault fault;

    FaultySegmentException(SegmentFault fault, String found) {
        super(fault.name(), fault + ": " + found + ": " + fault.advice());
        this.fault = fault;
    }

    /** What was wrong. */
    public SegmentFault fault() {
        return fault;
    }
}

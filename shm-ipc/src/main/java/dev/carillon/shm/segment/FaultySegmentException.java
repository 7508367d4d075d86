package dev.carillon.shm.segment;

import java.io.Serial;

/**
 * What stands in the memory of a link cannot be believed.
 *
 * <p><b>Threading:</b> immutable.
 */
public final class FaultySegmentException extends RuntimeException {
    @Serial
    private static final long serialVersionUID = 1L;

    private final SegmentFault fault;

    FaultySegmentException(SegmentFault fault, String found) {
        super(fault + ": " + found + ": " + fault.advice());
        this.fault = fault;
    }

    /** What was wrong. */
    public SegmentFault fault() {
        return fault;
    }
}

package dev.carillon.memory;

/** Whether a region may be written. */
public enum Access {
    /** A write is refused with {@link java.nio.ReadOnlyBufferException}. */
    READ_ONLY,
    /** Needs a file, or a descriptor, that may be written too. */
    READ_WRITE
}

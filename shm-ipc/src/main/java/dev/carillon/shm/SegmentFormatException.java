package dev.carillon.shm;

import dev.carillon.memory.RegionTruncatedException;
import dev.carillon.shm.segment.FaultySegmentException;
import java.io.Serial;
import java.util.function.Supplier;

/**
 * Memory that was handed over is no segment of a link, or of another version, or was written over.
 *
 * <p><b>Threading:</b> immutable.
 */
public final class SegmentFormatException extends IllegalArgumentException {
    @Serial
    private static final long serialVersionUID = 1L;

    private final String reason;

    private SegmentFormatException(FaultySegmentException cause) {
        super(cause.getMessage(), cause);
        reason = cause.fault().name();
    }

    private SegmentFormatException(RegionTruncatedException cause) {
        super("TRUNCATED: " + cause.getMessage(), cause);
        reason = "TRUNCATED";
    }

    /** What is wrong, in one word; docs/spec/shm-layout.md has all of them. */
    public String reason() {
        return reason;
    }

    /** The result, or what is wrong as users see it. */
    static <T> T rethrown(Supplier<T> reading) {
        try {
            return reading.get();
        } catch (FaultySegmentException faulty) {
            throw new SegmentFormatException(faulty);
        } catch (RegionTruncatedException truncated) {
            throw new SegmentFormatException(truncated);
        }
    }
}

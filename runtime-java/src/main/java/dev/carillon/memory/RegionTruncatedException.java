package dev.carillon.memory;

import java.io.Serial;
import org.jspecify.annotations.Nullable;

/**
 * A part of the file behind a region is gone: the file was made shorter, or a hole was punched into it and the file system
 * is full. Bytes that were read from the missing part are worthless, and bytes that were written there are lost.
 *
 * <p><b>Threading:</b> immutable.
 */
public final class RegionTruncatedException extends IllegalStateException {
    @Serial
    private static final long serialVersionUID = 1L;

    RegionTruncatedException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}

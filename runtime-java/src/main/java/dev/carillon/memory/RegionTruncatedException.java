package dev.carillon.memory;

import java.io.Serial;
import org.jspecify.annotations.Nullable;

/**
 * The file behind a region has become shorter than the region: bytes that were read from the missing part are worthless,
 * and bytes that were written there are lost.
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

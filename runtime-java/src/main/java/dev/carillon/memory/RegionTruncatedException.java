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

    private RegionTruncatedException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }

    /**
     * Says what to do.
     *
     * @param what names the region or its file
     * @param truncated whether the file is shorter; otherwise a page in it is gone
     */
    static RegionTruncatedException of(String what, boolean truncated, @Nullable Throwable cause) {
        String how = truncated
                ? ": its file was truncated by another process; close the region and make a new one"
                : ": a page of its file is gone and cannot be had again: somebody punched a hole and the file system is"
                        + " full, or the disk fails; make room, close the region and make a new one";
        return new RegionTruncatedException(what + how, cause);
    }
}

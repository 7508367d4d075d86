package dev.carillon.shm;

import static dev.carillon.sys.layout.Constants.O_DIRECTORY;
import static dev.carillon.sys.layout.Constants.O_RDONLY;

import dev.carillon.SyscallException;
import dev.carillon.sys.Fd;
import dev.carillon.sys.call.Sys;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * A descriptor that is kept for the moment in which none is left: whoever needs one then gets its number, once.
 *
 * <p><b>Threading:</b> any thread.
 */
final class SpareDescriptor implements AutoCloseable {
    /** A directory that can always be opened. */
    private static final Path ANYWHERE = Path.of("/");

    private @Nullable Fd kept;
    private boolean closed;

    /**
     * Keeps one.
     *
     * @throws SyscallException if there is none
     */
    SpareDescriptor() {
        kept = open();
    }

    private static Fd open() {
        return Sys.get().files().open(ANYWHERE, O_RDONLY | O_DIRECTORY, 0);
    }

    /** Gives the number away; false if that was done before. */
    synchronized boolean give() {
        Fd given = kept;
        kept = null;
        if (given != null) {
            given.close();
        }
        return given != null;
    }

    /** Keeps one again, as soon as there is one. */
    synchronized void restore() {
        if (kept != null || closed) {
            return;
        }
        try {
            kept = open();
        } catch (SyscallException stillShort) {
            kept = null;
        }
    }

    @Override
    public synchronized void close() {
        closed = true;
        give();
    }
}

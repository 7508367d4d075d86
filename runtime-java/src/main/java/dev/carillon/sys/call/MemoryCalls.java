package dev.carillon.sys.call;

import static dev.carillon.sys.call.Results.checked;
import static dev.carillon.sys.call.Results.descriptor;
import static dev.carillon.sys.layout.Constants.MAP_ANONYMOUS;
import static dev.carillon.sys.layout.Constants.MAP_PRIVATE;
import static dev.carillon.sys.layout.Constants.MAP_SHARED;

import dev.carillon.sys.Failure;
import dev.carillon.sys.LibC;

/**
 * Mappings. An address from here is valid until it is unmapped, and a use after that ends the process.
 *
 * <p><b>Threading:</b> any thread.
 *
 * <p><b>See:</b> mmap(2).
 */
public final class MemoryCalls {
    private static final int NO_FD = -1;

    private final LibC libc;

    MemoryCalls(LibC libc) {
        this.libc = libc;
    }

    /**
     * Maps a file so that all who do so see each other's writes.
     *
     * @param protection PROT_ flags
     * @param offset a multiple of the page size
     */
    public long mapShared(int fd, long offset, long length, int protection) {
        return map(length, protection, MAP_SHARED, descriptor(fd), offset);
    }

    /**
     * Maps a file with further flags, as MAP_POPULATE.
     *
     * @param flags MAP_ flags
     */
    public long mapShared(int fd, long offset, long length, int protection, int flags) {
        return map(length, protection, MAP_SHARED | flags, descriptor(fd), offset);
    }

    /** Maps zeroed memory of our own. */
    public long mapPrivate(long length, int protection) {
        return map(length, protection, MAP_PRIVATE | MAP_ANONYMOUS, NO_FD, 0);
    }

    private long map(long length, int protection, int flags, int fd, long offset) {
        positive(length);
        long result = libc.mmap(0, length, protection, flags, fd, offset);
        if (result < 0) {
            throw Failure.of("mmap", result, "length=" + length + ", fd=" + fd + ", offset=" + offset);
        }
        return result;
    }

    public void unmap(long address, long length) {
        checked("munmap", libc.munmap(address, positive(length)));
    }

    /** Changes what may be done with mapped memory (PROT_ flags). */
    public void protect(long address, long length, int protection) {
        checked("mprotect", libc.mprotect(address, positive(length), protection));
    }

    /** Tells the kernel how memory will be used (MADV_ flags); returns 0 or -errno, since it is advice. */
    public int advise(long address, long length, int advice) {
        return libc.madvise(address, positive(length), advice);
    }

    private static long positive(long length) {
        if (length < 1) {
            throw new IllegalArgumentException("length=" + length + ": a mapping has at least one byte");
        }
        return length;
    }
}

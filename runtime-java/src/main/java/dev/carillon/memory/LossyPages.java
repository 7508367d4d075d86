package dev.carillon.memory;

import dev.carillon.sys.Errno;
import dev.carillon.sys.Failure;
import dev.carillon.sys.call.FutexCalls;
import org.jspecify.annotations.Nullable;

/**
 * The pages of a file that other processes can take away: they shorten the file, or punch a hole into it and fill the
 * file system. An access to such a page is a SIGBUS.
 *
 * <p><b>Threading:</b> any thread.
 */
final class LossyPages {
    private static final int PAGE = 4_096;

    private final FutexCalls kernel;
    private final long address;
    private final BackingObject file;
    private final int size;

    /**
     * The pages of one region that may be written.
     *
     * @param address where the region starts
     * @param size the region's
     */
    LossyPages(long address, BackingObject file, int size) {
        this.kernel = file.sys().futexes();
        this.address = address;
        this.file = file;
        this.size = size;
    }

    /**
     * Makes sure that the next access to a place finds its page; only somebody who takes it away in just that moment is
     * faster.
     *
     * @throws RegionTruncatedException if the page is lost
     */
    void reach(int offset) {
        if (!reaches(offset)) {
            throw lost();
        }
    }

    /** Nothing may come out behind it: an earlier access may have left a fault that the VM has yet to tell. */
    private RegionTruncatedException lost() {
        @Nullable InternalError earlier = null;
        try {
            TruncationGuard.passVm();
        } catch (InternalError fault) {
            earlier = fault;
        }
        return RegionTruncatedException.of(file.what(), file.length() < size, earlier);
    }

    /** Gets storage for every page, with one call, or where the file system has none by a fault of each page. */
    // r[impl memory.reserve]
    void reserve() {
        int result = file.allocate(size);
        if (result == -Errno.EOPNOTSUPP || result == -Errno.ENOSYS) {
            result = reachesAll() ? 0 : -Errno.ENOSPC;
        }
        if (result < 0) {
            throw Failure.of("fallocate", result, file.what() + ", size=" + size);
        }
    }

    private boolean reachesAll() {
        for (long offset = 0; offset < size; offset += PAGE) {
            if (!reaches((int) offset)) {
                return false;
            }
        }
        return true;
    }

    private boolean reaches(int offset) {
        return kernel.reaches(address + (offset & -Integer.BYTES));
    }
}

package dev.carillon.memory;

import dev.carillon.sys.Errno;
import dev.carillon.sys.Failure;
import dev.carillon.sys.call.FutexCalls;
import dev.carillon.sys.fault.GuardedRange;
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
    private final GuardedRange range;
    private final BackingObject file;
    private final int size;

    /**
     * The pages of one region that may be written.
     *
     * @param mapping the region's
     * @param size the region's
     */
    LossyPages(Mapping mapping, BackingObject file, int size) {
        this.kernel = file.sys().futexes();
        this.address = mapping.address();
        this.range = mapping.range();
        this.file = file;
        this.size = size;
    }

    /**
     * Comes before an atomic access: no page of the region is lost, as far as one can know. What is taken away meanwhile the
     * guard replaces. Where there is no guard the kernel looks for the page, and only somebody who takes it away in just that
     * moment is faster.
     *
     * @throws RegionTruncatedException if a page is lost
     */
    // r[impl memory.guard]
    void reach(int offset) {
        if (range.isGuarded() ? range.isLost() : !reaches(offset)) {
            throw lost();
        }
    }

    /**
     * Comes after an access that the guard may have let go on with a page of zeros.
     *
     * @throws RegionTruncatedException if a page of the region is lost
     */
    void ensureKept() {
        if (range.isLost()) {
            throw lost();
        }
    }

    /** Whether a page of zeros lies in the place of a page of the region. */
    boolean isLost() {
        return range.isLost();
    }

    /**
     * What an atomic access fails with that the VM has thrown an error out of: where it is interpreted, it may begin with a
     * load, which the VM tells of itself.
     *
     * @throws InternalError the error itself, if the access has lost nothing
     */
    RegionTruncatedException behind(InternalError error, int offset) {
        // In this order: what is reached may be a page of zeros, which another thread has got just now.
        if (VmFaults.isOne(error) && (!reaches(offset) || range.isLost())) {
            return lost(error);
        }
        throw error;
    }

    /** Nothing may come out behind it: an earlier access may have left a fault that the VM has yet to tell. */
    private RegionTruncatedException lost() {
        @Nullable InternalError earlier = null;
        try {
            VmFaults.handOut();
        } catch (InternalError fault) {
            earlier = fault;
        }
        return lost(earlier);
    }

    private RegionTruncatedException lost(@Nullable InternalError told) {
        return RegionTruncatedException.of(file.what(), file.length() < size, told);
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

package dev.carillon.shm;

import dev.carillon.memory.MemoryRegion;
import dev.carillon.memory.RegionTruncatedException;
import org.jspecify.annotations.Nullable;

/**
 * Whether the memory of a link is still there. A memfd is sealed, and always is. A file can be truncated by any process of its
 * user, and each access to it fails then: at once, or in a later call of the same thread, with what it has read being worthless.
 *
 * <p>So whatever uses the memory of a link asks here at its end, which costs nothing where it is a memfd.
 *
 * <p><b>Threading:</b> any thread.
 */
// r[impl shm.attach.validate]
final class LinkPages {
    /** What the users of a link are told. */
    static final String LOST =
            "TRUNCATED: its memory is a file, which another process has truncated or punched holes into;"
                    + " close the link, have the host make another one, and let nobody else write to the directory of the host";

    private final MemoryRegion region;
    private final boolean canBeLost;

    LinkPages(MemoryRegion region) {
        this.region = region;
        canBeLost = region.canShrink();
    }

    /**
     * Comes after accesses to the memory, also for those whose fault the VM has yet to tell.
     *
     * @throws RegionTruncatedException if a part of it is lost
     */
    void ensureThere() {
        if (canBeLost) {
            region.guarded(() -> true);
        }
    }

    /**
     * Does something that only matters as long as the memory is there; false if it is lost.
     *
     * <p>It looks before: a file becomes shorter before its pages go. Who finds it so and goes on to an atomic access would meet
     * that moment, in which an access that is interpreted ends the VM where there is no guard of memory.
     */
    boolean unlessLost(Runnable work) {
        if (!canBeLost) {
            work.run();
            return true;
        }
        try {
            ensureThere();
            return region.guarded(() -> {
                work.run();
                return true;
            });
        } catch (RegionTruncatedException lost) {
            return false;
        }
    }

    /**
     * Why an access has failed: what was read from lost memory may look like what a faulty peer has written.
     *
     * @return the loss of the memory; null if it is not lost
     * @throws InternalError the fault itself, if it is of something else
     */
    @Nullable
    RegionTruncatedException lossBehind(Throwable fault) {
        try {
            if (canBeLost && fault instanceof RegionTruncatedException told) {
                return told;
            }
            ensureThere();
            return canBeLost && fault instanceof InternalError error ? region.guarded(() -> rethrown(error)) : null;
        } catch (RegionTruncatedException lost) {
            return lost;
        }
    }

    private static RegionTruncatedException rethrown(InternalError error) {
        throw error;
    }
}

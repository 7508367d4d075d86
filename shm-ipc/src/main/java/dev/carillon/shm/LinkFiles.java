package dev.carillon.shm;

import dev.carillon.memory.MemoryRegion;
import dev.carillon.sys.call.Sys;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The files of a host's links: each id of a guest has one name in the directory. The link of a guest that is gone loses it to that
 * of the guest which comes after, and keeps its memory.
 *
 * <p><b>Threading:</b> any thread.
 */
final class LinkFiles {
    private static final String PREFIX = "link-";

    private final Path directory;

    /** Stands for the file that has the name of an id now. */
    private final Map<Integer, Object> present = new HashMap<>();

    LinkFiles(Path directory) {
        this.directory = directory;
    }

    /** Whether a file with this name is one of a link. */
    static boolean isName(String name) {
        return name.matches(PREFIX + "[1-9][0-9]{0,2}")
                && Integer.parseInt(name.substring(PREFIX.length())) <= HostLinks.MOST;
    }

    /**
     * New memory for a link, as a file that goes with the region.
     *
     * @throws dev.carillon.SyscallException ENOSPC if the file system has no room for all of it; no file is left then
     */
    synchronized MemoryRegion create(int peerId, int bytes) {
        remove(peerId, present.get(peerId));
        MemoryRegion region = MemoryRegion.createFile(file(peerId), bytes);
        Object mine = new Object();
        boolean registered = false;
        try {
            present.put(peerId, mine);
            region.beforeRelease(() -> remove(peerId, mine));
            registered = true;
            return region;
        } finally {
            if (!registered) {
                present.remove(peerId);
                region.close();
                Sys.get().files().unlink(file(peerId));
            }
        }
    }

    /** Under the lock, so that no other file has got the name meanwhile. */
    private synchronized void remove(int peerId, @Nullable Object which) {
        if (which != null && present.remove(peerId, which)) {
            Sys.get().files().unlink(file(peerId));
        }
    }

    private Path file(int peerId) {
        return directory.resolve(PREFIX + peerId);
    }
}

package dev.carillon.memory;

import static dev.carillon.sys.layout.Constants.AT_FDCWD;
import static dev.carillon.sys.layout.Constants.MAP_ANONYMOUS;
import static dev.carillon.sys.layout.Constants.MAP_PRIVATE;
import static dev.carillon.sys.layout.Constants.MAP_SHARED;
import static dev.carillon.sys.layout.Constants.O_CREAT;
import static dev.carillon.sys.layout.Constants.O_EXCL;
import static dev.carillon.sys.layout.Constants.O_NOFOLLOW;
import static dev.carillon.sys.layout.Constants.O_RDONLY;
import static dev.carillon.sys.layout.Constants.O_RDWR;
import static dev.carillon.sys.layout.Constants.PROT_READ;
import static dev.carillon.sys.layout.Constants.PROT_WRITE;

import dev.carillon.SyscallException;
import dev.carillon.sys.Errno;
import dev.carillon.sys.Failure;
import dev.carillon.sys.NativeBytes;
import dev.carillon.sys.call.Sys;
import java.nio.file.Path;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Makes regions: open, reserve, look, map, in this order; what fails on the way leaves nothing behind.
 *
 * <p><b>Threading:</b> any thread.
 */
final class RegionFactory {
    private static final int PAGE = 4_096;
    private static final int MAX_CREATED = Integer.MAX_VALUE - (PAGE - 1);
    private static final int CREATE_ATTEMPTS = 100;

    private final Sys sys;

    RegionFactory(Sys sys) {
        this.sys = sys;
    }

    MemoryRegion anonymous(long size, boolean shared) {
        int whole = wholePages(size);
        int flags = MAP_ANONYMOUS | (shared ? MAP_SHARED : MAP_PRIVATE);
        return mapped("anonymous memory", whole, flags, Access.READ_WRITE, null, false);
    }

    // r[impl memory.seal]
    MemoryRegion memfd(String name, long size, Set<Seal> seals) {
        int whole = wholePages(size);
        BackingObject memfd = new BackingObject(sys, "memfd=" + name);
        return closedOnFailure(memfd, () -> {
            memfd.create(name);
            memfd.reserve(whole);
            memfd.seal(seals);
            return mapped(memfd, whole, Access.READ_WRITE);
        });
    }

    MemoryRegion createFile(Path path, long size) {
        int whole = wholePages(size);
        BackingObject file = new BackingObject(sys, "path=" + path);
        RegionSource source = () -> {
            file.reserve(whole);
            return mapped(file, whole, Access.READ_WRITE);
        };
        // Whatever the removal needs is there before the file is.
        try (NativeBytes name = NativeBytes.path(sys.libc(), path)) {
            file.open(path, O_RDWR | O_CREAT | O_EXCL);
            try {
                return closedOnFailure(file, source);
            } catch (RuntimeException | Error failure) {
                int removed = sys.libc().unlinkat(AT_FDCWD, name.address(), 0);
                if (removed < 0 && removed != -Errno.ENOENT) {
                    failure.addSuppressed(Failure.of("unlinkat", removed, file.what()));
                }
                throw failure;
            }
        }
    }

    /** Two processes may create and remove at the same time, hence the loop; it ends, because each turn is one try. */
    MemoryRegion openOrCreateFile(Path path, long size) {
        int whole = wholePages(size);
        for (int attempt = 1; ; attempt++) {
            try {
                return createFile(path, size);
            } catch (SyscallException e) {
                if (e.errno() != Errno.EEXIST) {
                    throw e;
                }
            }
            try {
                BackingObject file = new BackingObject(sys, "path=" + path);
                return closedOnFailure(file, () -> {
                    file.open(path, O_RDWR | O_NOFOLLOW);
                    file.ensureOurs();
                    file.reserve(whole);
                    return mapped(file, whole, Access.READ_WRITE);
                });
            } catch (SyscallException e) {
                if (e.errno() != Errno.ENOENT || attempt == CREATE_ATTEMPTS) {
                    throw e;
                }
            }
        }
    }

    MemoryRegion openFile(Path path, Access access) {
        BackingObject file = new BackingObject(sys, "path=" + path);
        return existing(file, access, () -> file.open(path, access == Access.READ_ONLY ? O_RDONLY : O_RDWR));
    }

    MemoryRegion ofDescriptor(int fd, Access access) {
        BackingObject file = new BackingObject(sys, "fd=" + fd);
        return existing(file, access, () -> file.copy(fd));
    }

    private MemoryRegion existing(BackingObject object, Access access, Runnable open) {
        return closedOnFailure(object, () -> {
            open.run();
            long length = object.length();
            if (length <= 0 || length > Integer.MAX_VALUE) {
                throw new IllegalArgumentException(object.what() + " has length=" + length + ": a region has 1 to "
                        + Integer.MAX_VALUE + " bytes");
            }
            return mapped(object.what(), (int) length, MAP_SHARED, access, object, access == Access.READ_WRITE);
        });
    }

    private MemoryRegion mapped(BackingObject object, int size, Access access) {
        return mapped(object.what(), size, MAP_SHARED, access, object, false);
    }

    private MemoryRegion mapped(
            String what, int size, int flags, Access access, @Nullable BackingObject object, boolean reserves) {
        int protection = access == Access.READ_ONLY ? PROT_READ : PROT_READ | PROT_WRITE;
        Mapping mapping = Mapping.map(sys.libc(), what, size, protection, flags, object == null ? null : object.fd());
        try {
            if (reserves && object != null) {
                // Only now: what forbids writing has a better answer to the mapping than to this.
                new LossyPages(mapping, object, size).reserve();
            }
            return new MemoryRegion(sys.libc(), what, mapping, size, access, object);
        } catch (RuntimeException | Error failure) {
            mapping.close();
            throw failure;
        }
    }

    /** The source opens the object too, so that no allocation comes between the opening and this. */
    // r[impl memory.nothing-left]
    private static MemoryRegion closedOnFailure(BackingObject object, RegionSource source) {
        try {
            return source.map();
        } catch (RuntimeException | Error failure) {
            object.close();
            throw failure;
        }
    }

    // r[impl memory.size]
    private static int wholePages(long size) {
        if (size <= 0 || size > MAX_CREATED) {
            throw new IllegalArgumentException("size=" + size + ": a new region has 1 to " + MAX_CREATED + " bytes");
        }
        return (int) (size + PAGE - 1) & -PAGE;
    }

    /** The part of making a region after which a failure must close the descriptor. */
    @FunctionalInterface
    private interface RegionSource {
        MemoryRegion map();
    }
}

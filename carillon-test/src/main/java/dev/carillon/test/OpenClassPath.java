package dev.carillon.test;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/**
 * Class path entries that every user can read.
 *
 * <p>Build tools keep jars in the home folder, and root's is closed to others: a child that runs as another user would
 * not find its own main class. What others cannot reach is copied, once per test process, and deleted when that ends.
 */
final class OpenClassPath {
    private static final Set<PosixFilePermission> OPEN = PosixFilePermissions.fromString("rwxr-xr-x");
    private static final Map<Path, Path> COPIES = new ConcurrentHashMap<>();

    private OpenClassPath() {}

    /** The entry itself, or a copy of it where others cannot reach it; an entry that is missing stays as it is. */
    static Path entry(Path entry) {
        if (!Files.exists(entry) || openToAll(entry)) {
            return entry;
        }
        return COPIES.computeIfAbsent(entry.toAbsolutePath(), OpenClassPath::copy);
    }

    private static boolean openToAll(Path entry) {
        try {
            Path real = entry.toRealPath();
            for (Path folder = real.getParent(); folder != null; folder = folder.getParent()) {
                if (!Files.getPosixFilePermissions(folder).contains(PosixFilePermission.OTHERS_EXECUTE)) {
                    return false;
                }
            }
            Set<PosixFilePermission> own = Files.getPosixFilePermissions(real);
            return own.contains(PosixFilePermission.OTHERS_READ)
                    && (!Files.isDirectory(real) || own.contains(PosixFilePermission.OTHERS_EXECUTE));
        } catch (IOException failure) {
            throw new UncheckedIOException("Cannot read the permissions of " + entry, failure);
        }
    }

    private static Path copy(Path entry) {
        try {
            Path folder = Files.createTempDirectory("carillon-classpath-");
            Files.setPosixFilePermissions(folder, OPEN);
            folder.toFile().deleteOnExit();
            Path copy = folder.resolve(entry.getFileName());
            for (Path source : tree(entry)) {
                Path target = copy.resolve(entry.relativize(source).toString());
                Files.copy(source, target);
                Files.setPosixFilePermissions(target, OPEN);
                target.toFile().deleteOnExit();
            }
            return copy;
        } catch (IOException failure) {
            throw new UncheckedIOException("Cannot copy " + entry + " to where other users can read it", failure);
        }
    }

    private static List<Path> tree(Path root) throws IOException {
        try (Stream<Path> paths = Files.walk(root)) {
            return paths.toList();
        }
    }
}

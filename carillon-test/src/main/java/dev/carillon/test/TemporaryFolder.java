package dev.carillon.test;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * Where one child puts its temporary files: agents that it unpacks, locks, sockets. It goes with the child, which may be
 * killed before it tidies up.
 *
 * <p><b>Threading</b> One thread at a time.
 */
final class TemporaryFolder implements ChildProcess.Belongings {
    private final Path path;

    TemporaryFolder(boolean forEverybody) throws IOException {
        path = Files.createTempDirectory("carillon-child-");
        if (forEverybody) {
            Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rwxrwxrwx"));
        }
    }

    Path path() {
        return path;
    }

    @Override
    public void close() {
        if (!Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
            // It was closed before.
            return;
        }
        try (Stream<Path> inside = Files.walk(path)) {
            List<Path> deepestFirst = inside.sorted(Comparator.reverseOrder()).toList();
            for (Path file : deepestFirst) {
                Files.deleteIfExists(file);
            }
        } catch (IOException failure) {
            throw new UncheckedIOException("Cannot delete " + path, failure);
        }
    }
}

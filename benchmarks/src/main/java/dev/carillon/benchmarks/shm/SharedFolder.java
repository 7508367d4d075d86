package dev.carillon.benchmarks.shm;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Where files are only memory, if there is such a place: no disk shall have a part in a figure. */
final class SharedFolder {
    private static final Path MEMORY = Path.of("/dev/shm");

    private SharedFolder() {}

    /** The name of a file that does not exist yet. */
    static Path newFile(String name) throws IOException {
        Path file = Files.isWritable(MEMORY)
                ? Files.createTempFile(MEMORY, "carillon-bench-", "." + name)
                : Files.createTempFile("carillon-bench-", "." + name);
        Files.delete(file);
        return file;
    }
}

package dev.carillon.doctor;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** A machine made of files: what the checks read, as a test wants it. */
record MachineFiles(Path root) {
    MachineFiles with(String path, String text) {
        try {
            Path file = root.resolve(path.substring(1));
            Files.createDirectories(file.getParent());
            Files.writeString(file, text);
            return this;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    Machine machine() {
        return new Machine(root);
    }

    static Check named(List<Check> checks, String name) {
        return checks.stream()
                .filter(c -> c.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no check named " + name + " in " + checks));
    }
}

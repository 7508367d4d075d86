package dev.carillon.doctor;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * The files in which Linux describes itself, below a root that tests replace by a folder of their own.
 *
 * <p>Nothing here fails: what can't be read is absent, and each check says what that means for it.
 */
record Machine(Path root) {
    static Machine real() {
        return new Machine(Path.of("/"));
    }

    /** The text of a file, trimmed, or empty where it can't be read. */
    Optional<String> text(String path) {
        try {
            // The kernel gives sizes of 0 for its files, so the bytes are read to the end, not counted first.
            try (var in = Files.newInputStream(resolve(path))) {
                return Optional.of(new String(in.readAllBytes(), StandardCharsets.UTF_8).strip());
            }
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    List<String> lines(String path) {
        return text(path).map(t -> t.lines().toList()).orElse(List.of());
    }

    /** The value behind {@code key:} in a file of such lines, as in /proc/self/status. */
    Optional<String> field(String path, String key) {
        return lines(path).stream()
                .filter(line -> line.startsWith(key + ":"))
                .map(line -> line.substring(key.length() + 1).strip())
                .findFirst();
    }

    boolean exists(String path) {
        return Files.exists(resolve(path));
    }

    Path resolve(String path) {
        return root.resolve(path.substring(1));
    }
}

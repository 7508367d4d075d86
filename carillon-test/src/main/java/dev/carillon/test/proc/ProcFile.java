package dev.carillon.test.proc;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** Reads files and folders under {@code /proc}, where things may be gone by the time one looks. */
final class ProcFile {
    private ProcFile() {}

    /** The lines of a file that must be there. */
    static List<String> lines(String path) {
        return linesIfPresent(path)
                .orElseThrow(() -> new IllegalStateException(path + " is missing: mount /proc in this environment"));
    }

    /** The lines of a file, or nothing when what it described has ended. */
    static Optional<List<String>> linesIfPresent(String path) {
        Path file = Path.of(path);
        try {
            return Optional.of(new String(Files.readAllBytes(file), StandardCharsets.UTF_8)
                    .lines()
                    .toList());
        } catch (NoSuchFileException gone) {
            return Optional.empty();
        } catch (IOException failure) {
            // A task that ends between open and read answers ESRCH, and its folder is gone right after.
            if (Files.exists(file)) {
                throw new UncheckedIOException("Cannot read " + path, failure);
            }
            return Optional.empty();
        }
    }

    /** The entries of a folder whose names are numbers. */
    static List<Integer> numbersIn(String folder) {
        String[] names = Path.of(folder).toFile().list();
        if (names == null) {
            throw new IllegalStateException("Cannot list " + folder + ": mount /proc in this environment");
        }
        return Arrays.stream(names)
                .filter(name -> name.chars().allMatch(Character::isDigit))
                .map(Integer::valueOf)
                .sorted()
                .toList();
    }

    /** The value of a {@code Name: value} line. */
    static Optional<String> field(List<String> lines, String name) {
        return lines.stream()
                .filter(line -> line.startsWith(name + ":"))
                .map(line -> line.substring(name.length() + 1).strip())
                .findFirst();
    }
}

package dev.carillon.test;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * An installed JDK.
 *
 * @param home its folder
 * @param feature 17, 21, 25 and so on
 */
public record Jdk(Path home, int feature) {
    /** System property that names the home of the second JDK. */
    public static final String SECOND_PROPERTY = "carillon.jdk2";

    /** The first release with {@code java.lang.foreign}. */
    private static final int FOREIGN_MEMORY = 22;

    private static final Path INSTALLED = Path.of("/usr/lib/jvm");

    /** The one that this test runs on. */
    public static Jdk current() {
        return new Jdk(
                Path.of(System.getProperty("java.home")), Runtime.version().feature());
    }

    /**
     * One with {@code java.lang.foreign}: the one that the system property {@value #SECOND_PROPERTY} names, else the
     * newest from 22 on under {@code /usr/lib/jvm}; nothing when there is none.
     */
    public static Optional<Jdk> second() {
        String named = System.getProperty(SECOND_PROPERTY, "");
        if (named.isBlank()) {
            return newestIn(INSTALLED).filter(Jdk::hasForeignMemory);
        }
        return Optional.of(at(Path.of(named))
                .orElseThrow(() -> new IllegalArgumentException("No JDK at " + SECOND_PROPERTY + "=" + named
                        + ": it needs bin/java and a release file with JAVA_VERSION")));
    }

    /** Its launcher. */
    public Path java() {
        return home.resolve("bin/java");
    }

    /** Whether {@code java.lang.foreign} can be used without a preview flag. */
    public boolean hasForeignMemory() {
        return feature >= FOREIGN_MEMORY;
    }

    static Optional<Jdk> newestIn(Path folder) {
        if (!Files.isDirectory(folder)) {
            return Optional.empty();
        }
        List<Jdk> found = new ArrayList<>();
        try (DirectoryStream<Path> homes = Files.newDirectoryStream(folder)) {
            homes.forEach(home -> at(home).ifPresent(found::add));
        } catch (IOException failure) {
            throw new UncheckedIOException("Cannot list " + folder, failure);
        }
        return found.stream().max(Comparator.comparingInt(Jdk::feature));
    }

    private static Optional<Jdk> at(Path home) {
        Path release = home.resolve("release");
        if (!Files.isExecutable(home.resolve("bin/java")) || !Files.isRegularFile(release)) {
            return Optional.empty();
        }
        try {
            return Files.readAllLines(release).stream()
                    .filter(line -> line.startsWith("JAVA_VERSION="))
                    .map(line -> line.substring(line.indexOf('=') + 1).replace("\"", ""))
                    .map(version -> new Jdk(home, Runtime.Version.parse(version).feature()))
                    .findFirst();
        } catch (IOException failure) {
            throw new UncheckedIOException("Cannot read " + release, failure);
        }
    }
}

package dev.carillon.benchmarks.run;

import dev.carillon.benchmarks.model.Variant.Jdk;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The JDKs of a run.
 *
 * @param main the one that runs the harness
 * @param second the newest from 22 on, if there is one; named by {@code -Dcarillon.jdk2} or found
 */
public record Jdks(Home main, Optional<Home> second) {
    /** The first JDK with java.lang.foreign. */
    static final int FIRST_WITH_FFM = 22;

    private static final Path INSTALLED = Path.of("/usr/lib/jvm");

    /**
     * One JDK.
     *
     * @param path its folder
     * @param version as it says itself, such as 25.0.1
     */
    public record Home(Path path, Runtime.Version version) {
        Path java() {
            return path.resolve("bin/java");
        }
    }

    /** Finds the JDKs of this machine. */
    public static Jdks find() throws IOException {
        Home main = new Home(Path.of(System.getProperty("java.home")), Runtime.version());
        String named = System.getProperty("carillon.jdk2", "");
        if (!named.isBlank()) {
            Home second = read(Path.of(named))
                    .orElseThrow(() -> new IllegalArgumentException(
                            "carillon.jdk2=" + named + " is no JDK: it has no file 'release' with a JAVA_VERSION"));
            return new Jdks(main, Optional.of(second));
        }
        if (main.version().feature() >= FIRST_WITH_FFM) {
            return new Jdks(main, Optional.of(main));
        }
        return new Jdks(main, newest(INSTALLED));
    }

    /** Returns the JDK that a variant asks for, if there is one. */
    Optional<Home> home(Jdk wanted) {
        return wanted == Jdk.MAIN ? Optional.of(main) : second;
    }

    static Optional<Home> newest(Path folder) throws IOException {
        if (!Files.isDirectory(folder)) {
            return Optional.empty();
        }
        List<Path> candidates;
        try (Stream<Path> children = Files.list(folder)) {
            candidates = children.toList();
        }
        Optional<Home> best = Optional.empty();
        for (Path candidate : candidates) {
            Optional<Home> home = read(candidate).filter(h -> h.version().feature() >= FIRST_WITH_FFM);
            best = Stream.concat(best.stream(), home.stream()).max(Comparator.comparing(Home::version));
        }
        return best;
    }

    /** Reads the file that each JDK carries, so that none has to be started to learn its version. */
    static Optional<Home> read(Path folder) throws IOException {
        Path release = folder.resolve("release");
        if (!Files.isRegularFile(release) || !Files.isExecutable(folder.resolve("bin/java"))) {
            return Optional.empty();
        }
        try (Stream<String> lines = Files.lines(release)) {
            return lines.filter(line -> line.startsWith("JAVA_VERSION="))
                    .map(line -> line.substring(line.indexOf('=') + 1).replace("\"", ""))
                    .findFirst()
                    .map(version -> new Home(folder, Runtime.Version.parse(version)));
        }
    }
}

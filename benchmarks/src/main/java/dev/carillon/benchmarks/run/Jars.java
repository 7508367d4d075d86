package dev.carillon.benchmarks.run;

import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A class path of jars alone, as short as a user's would be.
 *
 * <p>Archives of class data take classes from jars only, and a start-up time with all peers on the class path would
 * measure the peers.
 */
final class Jars {
    /** What our runtime needs, by the first words of the file name. */
    private static final List<String> NEEDED = List.of("carillon-runtime", "jna", "slf4j-api");

    /** What coroutines need besides, which nobody else has to have on the class path. */
    private static final List<String> NEEDED_BY_COROUTINES =
            List.of("carillon-coroutines", "kotlinx-coroutines-core", "kotlin-stdlib");

    private static final String COROUTINES = ".coroutines.";

    private final Path made;

    Jars(Path made) {
        this.made = made;
    }

    /** Returns the jar with the class, our runtime and what it needs; folders are packed. */
    String classPath(String full, String mainClass) throws RunFailure {
        try {
            List<Path> jars = new ArrayList<>();
            for (String element : full.split(File.pathSeparator, -1)) {
                Path path = Path.of(element);
                if (Files.isDirectory(path)) {
                    if (isOurs(path, mainClass)) {
                        jars.add(pack(path, jars.size()));
                    }
                } else if (needed(path, mainClass) || isBenchmarks(path)) {
                    jars.add(path.toAbsolutePath());
                }
            }
            return jars.stream().map(Path::toString).collect(Collectors.joining(File.pathSeparator));
        } catch (IOException e) {
            throw new RunFailure("the class path could not be made of jars in " + made, e);
        }
    }

    private static boolean isOurs(Path folder, String mainClass) {
        return holds(folder, mainClass)
                || holds(folder, "dev.carillon.sys.LibC")
                || (mainClass.contains(COROUTINES) && holds(folder, "dev.carillon.coroutines.LoopDispatcher"));
    }

    private static boolean needed(Path jar, String mainClass) {
        String name = String.valueOf(jar.getFileName());
        return NEEDED.stream().anyMatch(name::startsWith)
                || (mainClass.contains(COROUTINES)
                        && NEEDED_BY_COROUTINES.stream().anyMatch(name::startsWith));
    }

    private static boolean isBenchmarks(Path jar) {
        return String.valueOf(jar.getFileName()).startsWith("carillon-benchmarks");
    }

    private static boolean holds(Path folder, String className) {
        return Files.exists(folder.resolve(className.replace('.', '/') + ".class"));
    }

    private Path pack(Path folder, int number) throws IOException {
        Files.createDirectories(made);
        Path jar = made.resolve("classes-" + number + ".jar");
        try (OutputStream file = Files.newOutputStream(jar);
                JarOutputStream out = new JarOutputStream(file);
                Stream<Path> files = Files.walk(folder)) {
            for (Path entry : files.filter(Files::isRegularFile).sorted().toList()) {
                out.putNextEntry(new JarEntry(folder.relativize(entry).toString()));
                Files.copy(entry, out);
                out.closeEntry();
            }
        }
        return jar.toAbsolutePath();
    }
}

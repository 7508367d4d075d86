package dev.carillon.process;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** The VM opens a file for each class that is not in a jar: what is loaded before can be used without a descriptor. */
final class LoadedClasses {
    private static final List<String> ROOMS =
            List.of("", "sys", "sys/call", "sys/layout", "loop", "loop/queue", "process");
    private static final String CLASS = ".class";

    private LoadedClasses() {}

    /** Loads all that a child needs, and a test with what is nested in it. */
    static void of(Class<?> test) throws IOException, URISyntaxException, ClassNotFoundException {
        load(Spawn.class, "");
        load(test, test.getSimpleName());
        load(test, Running.class.getSimpleName());
    }

    private static void load(Class<?> from, String prefix)
            throws IOException, URISyntaxException, ClassNotFoundException {
        Path root =
                Path.of(from.getProtectionDomain().getCodeSource().getLocation().toURI());
        for (String room : Files.isDirectory(root) ? ROOMS : List.<String>of()) {
            Path folder = root.resolve("dev/carillon").resolve(room);
            try (Stream<Path> files = Files.isDirectory(folder) ? Files.list(folder) : Stream.of()) {
                for (Path file : files.toList()) {
                    String name = file.getFileName().toString();
                    if (name.startsWith(prefix) && name.endsWith(CLASS)) {
                        String path = root.relativize(file).toString();
                        String dotted = path.substring(0, path.length() - CLASS.length())
                                .replace('/', '.');
                        // Not initialized: some are for another JDK.
                        Class.forName(dotted, false, LoadedClasses.class.getClassLoader());
                    }
                }
            }
        }
    }
}

package dev.carillon.sys;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** The VM opens a file for each class that is not in a jar: what is loaded before can be used without a descriptor. */
public final class LoadedClasses {
    private static final List<String> ROOMS = List.of(
            "",
            "sys",
            "sys/call",
            "sys/layout",
            "loop",
            "loop/access",
            "loop/log",
            "loop/queue",
            "io",
            "io/backend",
            "io/epoll",
            "process");
    private static final String CLASS = ".class";

    private LoadedClasses() {}

    /** Loads the rooms of the runtime that a test needs who runs out of descriptors, and the package of the test. */
    public static void of(Class<?> test) throws IOException, URISyntaxException, ClassNotFoundException {
        for (String room : ROOMS) {
            load(LibC.class, "dev/carillon/" + room);
        }
        load(test, test.getPackageName().replace('.', '/'));
    }

    private static void load(Class<?> from, String folder)
            throws IOException, URISyntaxException, ClassNotFoundException {
        Path root =
                Path.of(from.getProtectionDomain().getCodeSource().getLocation().toURI());
        if (!Files.isDirectory(root)) {
            return;
        }
        try (Stream<Path> files = Files.list(root.resolve(folder))) {
            for (Path file : files.toList()) {
                String path = root.relativize(file).toString();
                if (path.endsWith(CLASS)) {
                    String name = path.substring(0, path.length() - CLASS.length());
                    // Not initialized: some are for another JDK.
                    Class.forName(name.replace('/', '.'), false, LoadedClasses.class.getClassLoader());
                }
            }
        }
    }
}

package dev.carillon.test;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/**
 * Loads classes before a test takes the last descriptor: the VM opens a file for each class that is not in a jar, and a class
 * that it cannot open is missing from then on.
 *
 * <p><b>Threading:</b> any thread.
 */
public final class LoadedClasses {
    private static final String CLASS = ".class";

    private LoadedClasses() {}

    /**
     * Loads the package of a test, the kit, and all that lies beside the given classes: in the same folder of compiled classes, in any
     * package. What is in a jar is left alone. No class is initialized.
     *
     * @param test the class of the test, or another one of its package
     * @param libraries one class of each library that the test uses
     */
    public static void of(Class<?> test, Class<?>... libraries) {
        for (Class<?> library : libraries) {
            load(library, "", Integer.MAX_VALUE);
        }
        load(test, folderOf(test), 1);
        load(LoadedClasses.class, folderOf(LoadedClasses.class), 2);
    }

    private static String folderOf(Class<?> member) {
        return member.getPackageName().replace('.', '/');
    }

    private static void load(Class<?> from, String folder, int depth) {
        try {
            Path root = Path.of(
                    from.getProtectionDomain().getCodeSource().getLocation().toURI());
            if (Files.isDirectory(root)) {
                try (Stream<Path> files = Files.walk(root.resolve(folder), depth)) {
                    files.map(root::relativize).forEach(file -> load(from, file.toString()));
                }
            }
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        } catch (URISyntaxException nowhere) {
            throw new IllegalStateException(from + " comes from no file", nowhere);
        }
    }

    private static void load(Class<?> from, String path) {
        String name = path.replace('/', '.');
        // The description of a module is no class.
        if (name.endsWith(CLASS) && !name.contains("-")) {
            try {
                // Not initialized: some are for another JDK.
                Class.forName(name.substring(0, name.length() - CLASS.length()), false, from.getClassLoader());
            } catch (ClassNotFoundException gone) {
                throw new IllegalStateException("path=" + path + " was there, and is no class", gone);
            } catch (NoClassDefFoundError optional) {
                // It extends one of a library that this process does not have, so nobody will use it.
                return;
            }
        }
    }
}

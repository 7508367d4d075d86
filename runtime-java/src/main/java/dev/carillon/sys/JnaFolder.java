package dev.carillon.sys;

import java.io.File;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Where JNA unpacks its library, which it then loads from there: the folder has to allow that, so it must not be mounted
 * noexec. JNA tells it only after it has succeeded.
 */
public final class JnaFolder {
    private JnaFolder() {}

    /** In this process. */
    public static String ofThisProcess() {
        return where(System::getProperty, System::getenv);
    }

    /** As JNA decides it (Native.getTempDir), but that nothing is created. */
    static String where(Function<String, @Nullable String> properties, Function<String, @Nullable String> environment) {
        String loaded = properties.apply("jnidispatch.path");
        String parent = loaded == null ? null : new File(loaded).getParent();
        if (parent != null) {
            return parent;
        }
        String given = properties.apply("jna.tmpdir");
        if (given != null) {
            return given;
        }
        String xdg = environment.apply("XDG_CACHE_HOME");
        File cache = xdg == null || xdg.isBlank() ? new File(properties.apply("user.home"), ".cache") : new File(xdg);
        File folder = new File(cache, "JNA/temp");
        return canBeMade(folder) ? folder.getPath() : String.valueOf(properties.apply("java.io.tmpdir"));
    }

    private static boolean canBeMade(File folder) {
        File there = folder;
        while (there != null && !there.exists()) {
            there = there.getParentFile();
        }
        return there != null && there.isDirectory() && there.canWrite();
    }
}

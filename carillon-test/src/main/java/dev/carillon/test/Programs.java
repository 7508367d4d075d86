package dev.carillon.test;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Assumptions;

/**
 * Programs that a test needs and that a machine may lack. There the test is skipped and says which one it is; in
 * continuous integration ({@code CI=true}) it fails, as what is skipped there is tested nowhere.
 *
 * <p><b>Threading</b> Any thread.
 */
public final class Programs {
    private static final Map<String, String> PACKAGES =
            Map.of("nc", "netcat-openbsd", "as", "binutils", "script", "bsdutils");

    private Programs() {}

    /** Needs a program on the PATH. */
    public static void need(String program) {
        need(program, isInstalled(program));
    }

    /** Needs a program of which the caller knows whether it is there. */
    public static void need(String program, boolean there) {
        if (there) {
            return;
        }
        String cause = "missing program: " + program + "; on Debian: apt-get install "
                + PACKAGES.getOrDefault(program, program);
        if ("true".equals(System.getenv("CI"))) {
            Assertions.fail(cause + ". With CI=true nothing is skipped for that.");
        }
        System.out.println("skipped: " + cause);
        Assumptions.abort(cause);
    }

    /** Whether a program is on the PATH. */
    public static boolean isInstalled(String program) {
        return isInstalled(program, System.getenv().getOrDefault("PATH", ""));
    }

    static boolean isInstalled(String program, String path) {
        return Stream.of(path.split(File.pathSeparator, -1))
                .anyMatch(folder -> Files.isExecutable(Path.of(folder, program)));
    }
}

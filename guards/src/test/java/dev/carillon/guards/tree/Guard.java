package dev.carillon.guards.tree;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;

/** The one place where findings become a failed test, or files that accept them. */
public final class Guard {
    private Guard() {}

    /** Fails with every finding at once, so that one run is enough to see all there is to do. */
    public static void passes(String rule, List<Finding> findings) {
        if (!findings.isEmpty()) {
            throw new AssertionError(describe(rule, findings));
        }
    }

    private static String describe(String rule, List<Finding> findings) {
        var count = findings.size() == 1 ? "1 place needs" : findings.size() + " places need";
        return findings.stream()
                .sorted()
                .map(Finding::toString)
                .collect(Collectors.joining("\n  ", rule + "; " + count + " your attention:\n  ", "\n"));
    }

    /** True where the run was started to accept what it finds: {@code -Dcarillon.update=true}. */
    public static boolean updates() {
        return Boolean.getBoolean("carillon.update");
    }

    /** The command that accepts what one guard found. */
    public static String accept(String test) {
        return "mvn test -pl guards -am -Dtest=" + test
                + " -Dsurefire.failIfNoSpecifiedTests=false -Dcarillon.update=true";
    }

    /** Writes a file that a guard keeps; a file that would be empty is removed. */
    public static void write(Path file, String text) {
        try {
            if (text.isEmpty()) {
                Files.deleteIfExists(file);
            } else {
                Files.createDirectories(file.resolveSibling(""));
                Files.writeString(file, text);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write " + file + ": check its permissions", e);
        }
    }
}

package dev.carillon.guards.code;

import dev.carillon.guards.tree.ClassRoots;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.spi.ToolProvider;

/** Asks jdeps which class uses which. */
final class Dependencies {
    private static final Pattern LINE = Pattern.compile("^\\s+(\\S+)\\s+-> (\\S+)\\s+\\S.*$");

    private Dependencies() {}

    /** One class uses another, perhaps of its own package. */
    record Use(String from, String to) {
        static String packageOf(String type) {
            int dot = type.lastIndexOf('.');
            return dot < 0 ? "" : type.substring(0, dot);
        }

        static boolean isOurs(String type) {
            return type.startsWith("dev.carillon.");
        }

        /** The class of a file of its own around a nested one, an anonymous one or what Kotlin makes for a lambda. */
        static String outer(String type) {
            int nested = type.indexOf('$');
            return nested < 0 ? type : type.substring(0, nested);
        }

        boolean leavesItsPackage() {
            return !packageOf(from).equals(packageOf(to));
        }
    }

    /**
     * All uses. Class files are handed over one by one: given a folder with a module descriptor, jdeps would resolve
     * the module and stop at the first missing one.
     */
    static List<Use> of(List<Path> folders) {
        var arguments = new ArrayList<>(List.of("-verbose:class", "-filter:none", "--multi-release", "base"));
        ClassRoots.classFiles(folders).stream()
                .filter(file -> !file.endsWith("module-info.class"))
                .forEach(file -> arguments.add(file.toString()));
        return arguments.size() == 4 ? List.of() : parse(jdeps(arguments));
    }

    private static String jdeps(List<String> arguments) {
        var jdeps = ToolProvider.findFirst("jdeps")
                .orElseThrow(
                        () -> new IllegalStateException("no jdeps in this Java: run the build on a JDK, not a JRE"));
        var out = new StringWriter();
        var err = new StringWriter();
        int status = jdeps.run(new PrintWriter(out), new PrintWriter(err), arguments.toArray(String[]::new));
        if (status != 0) {
            throw new IllegalStateException("jdeps ended with status " + status + " and said: " + out + err);
        }
        return out.toString();
    }

    private static List<Use> parse(String output) {
        return output.lines()
                .map(LINE::matcher)
                .filter(Matcher::matches)
                .map(line -> new Use(line.group(1), line.group(2)))
                .toList();
    }
}

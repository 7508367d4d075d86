package dev.carillon.guards.code;

import dev.carillon.guards.tree.Finding;
import dev.carillon.guards.tree.Outline.Block;
import dev.carillon.guards.tree.SourceFile;
import dev.carillon.guards.tree.SourceTree;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * Who may end the process: one method of the published modules, and {@code main} of what is not published. The doctor
 * is published, so it goes through the one door as well.
 */
final class Exits {
    private static final Pattern EXIT = Pattern.compile("\\bSystem\\s*(?:\\.|::)\\s*exit\\b"
            + "|\\bexitProcess\\s*\\(|(?:\\bgetRuntime\\(\\)|\\b[rR]untime)\\s*(?:\\.|::)\\s*(?:exit|halt)\\b");
    private static final Pattern FUN = Pattern.compile("\\bfun\\s+(?:\\w+\\.)?(\\w+)\\s*\\(");

    private Exits() {}

    private record Exit(SourceFile file, int line, String method) {}

    static List<Finding> check(SourceTree tree) {
        var findings = new ArrayList<Finding>();
        var doors = new TreeMap<String, Exit>();
        tree.stream(SourceFile::isMain).flatMap(file -> exits(file).stream()).forEach(exit -> {
            if (Doors.published().test(exit.file())) {
                doors.putIfAbsent(exit.file().path() + " " + exit.method(), exit);
            } else if (!exit.method().matches("main(@\\d+)?")) {
                findings.add(Finding.at(
                        exit.file(),
                        exit.line(),
                        shown(exit.method()) + " ends the process",
                        "return the exit code to main, and leave from there"));
            }
        });
        if (doors.size() > 1) {
            doors.values()
                    .forEach(exit -> findings.add(Finding.at(
                            exit.file(),
                            exit.line(),
                            shown(exit.method()) + " ends the process, one of " + doors.size() + " methods that do",
                            "leave through the one exit door, or return the code to who calls it")));
        }
        return findings;
    }

    private static List<Exit> exits(SourceFile file) {
        return file.inCode(EXIT)
                .filter(match -> !file.code().substring(0, match.start()).endsWith("import kotlin.system."))
                .map(match -> new Exit(file, file.lineAt(match.start()), method(file, match.start())))
                .toList();
    }

    /** The method around an offset, with where it begins, so that overloads are two. */
    private static String method(SourceFile file, int offset) {
        var block = file.outline().methodAt(offset);
        var fun = file.isKotlin() ? lastFun(file, offset) : "";
        return block.map(Exits::name).orElse(fun.isEmpty() ? "an initializer" : fun);
    }

    private static String name(Block block) {
        return block.name() + "@" + block.start();
    }

    /** For a Kotlin function whose body is an expression, which has no braces. */
    private static String lastFun(SourceFile file, int offset) {
        return FUN.matcher(file.code().substring(0, offset))
                .results()
                .reduce((a, b) -> b)
                .map(fun -> fun.group(1))
                .orElse("");
    }

    private static String shown(String method) {
        return method.replaceAll("@.*", "");
    }
}

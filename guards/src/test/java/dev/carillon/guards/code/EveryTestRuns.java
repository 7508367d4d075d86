package dev.carillon.guards.code;

import dev.carillon.guards.tree.Finding;
import dev.carillon.guards.tree.Outline.Block;
import dev.carillon.guards.tree.SourceFile;
import dev.carillon.guards.tree.SourceTree;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * Surefire runs top-level classes whose name it knows and says nothing of the others; Jupiter passes over a nested class
 * without {@code @Nested}. Either way a test is never heard of again.
 */
final class EveryTestRuns {
    private static final Pattern TEST = Pattern.compile(
            "(?<!\\w)@(?:[\\w.]+\\.)?(Test|ParameterizedTest|RepeatedTest|TestFactory|TestTemplate|Property)\\b(?!\\s*\\.)");
    private static final Pattern NAME = Pattern.compile("\\w+(?:Test|IT)");

    private final List<Finding> findings = new ArrayList<>();
    private final Map<String, StringBuilder> codeByModule = new HashMap<>();

    static List<Finding> check(SourceTree tree) {
        var check = new EveryTestRuns();
        tree.stream(SourceFile::isTest)
                .forEach(file -> check.codeByModule
                        .computeIfAbsent(file.module(), module -> new StringBuilder())
                        .append(file.code()));
        tree.stream(SourceFile::isTest).forEach(check::read);
        return check.findings;
    }

    /** Each class with tests, with its first one. */
    private void read(SourceFile file) {
        var seen = new HashSet<Block>();
        file.inCode(TEST)
                .forEach(test -> file.outline()
                        .typeAt(test.start())
                        .filter(seen::add)
                        .ifPresent(type -> judge(file, type, file.lineAt(test.start()))));
    }

    private void judge(SourceFile file, Block type, int line) {
        var name = type.name();
        boolean isAbstract = type.header().matches("(?s).*\\b(?:abstract|interface)\\b.*");
        if (isAbstract || mentions(file, "\\b" + name + "\\s*(?:\\.|::)\\s*class\\b")) {
            contract(file, type, line, isAbstract);
        } else if (type.isNested()) {
            if (!type.header().contains("@Nested")) {
                add(
                        file,
                        line,
                        name + " is nested without @Nested, so Jupiter passes over its tests",
                        "write @Nested and make it an inner class, or move it to a file of its own");
            }
        } else if (!NAME.matcher(name).matches()) {
            add(
                    file,
                    line,
                    "the tests of " + name + " never run: Surefire does not look at a class of this name",
                    "end its name in Test, IT (other processes) or StressTest (long), or make it an abstract Contract");
        }
    }

    /** A class that others run: an abstract one with a subclass, or one handed to a launcher by name. */
    private void contract(SourceFile file, Block type, int line, boolean isAbstract) {
        var name = type.name();
        if (isAbstract
                && !mentions(
                        file,
                        "\\b(?:extends|implements)\\s+[\\w., <>]*\\b" + name + "\\b|:\\s*[^{};()=]*\\b" + name
                                + "\\b")) {
            add(
                    file,
                    line,
                    "the tests of " + name + " never run: nothing in " + file.module() + " extends it",
                    "subclass it once for each implementation, in a class that ends in Test or IT");
        }
    }

    private boolean mentions(SourceFile file, String pattern) {
        var code = codeByModule.get(file.module());
        return code != null && Pattern.compile(pattern).matcher(code).find();
    }

    private void add(SourceFile file, int line, String problem, String remedy) {
        findings.add(Finding.at(file, line, problem, remedy));
    }
}

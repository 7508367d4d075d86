package dev.carillon.guards.code;

import dev.carillon.guards.tree.Exceptions;
import dev.carillon.guards.tree.Finding;
import dev.carillon.guards.tree.Modules;
import dev.carillon.guards.tree.SourceFile;
import dev.carillon.guards.tree.SourceTree;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Counts the doors: the places in main sources through which danger comes in. Published modules only; samples and
 * benchmarks stand outside the house (what they may touch, the table of rooms says).
 */
final class Doors {
    private static final Pattern NATIVE = Pattern.compile("\\bnative\\b(?=[^;{}=]*\\()|\\bexternal\\s+fun\\b");
    private static final Pattern JNA = Pattern.compile("\\bcom\\.sun\\.jna\\b");
    private static final Pattern SUN_MISC = Pattern.compile("\\bsun\\.misc\\b");
    private static final Pattern INTERNAL = Pattern.compile("\\bInternalCoroutinesApi\\b|\\bINVISIBLE_\\w+");
    private static final Pattern SUPPRESS = Pattern.compile("@(?:file:)?Suppress(?:Warnings)?\\b");
    private static final Pattern THROWABLE =
            Pattern.compile("\\bcatch\\s*\\((?:[^(){}]*[\\s|:])?Throwable\\b|\\brunCatching\\b");

    private final SourceTree tree;
    private final List<Finding> findings = new ArrayList<>();

    private Doors(SourceTree tree) {
        this.tree = tree;
    }

    static List<Finding> check(SourceTree tree) {
        var doors = new Doors(tree);
        doors.one("native methods", NATIVE, "file", SourceFile::path, "declare them where the others are");
        doors.one(
                "com.sun.jna", JNA, "package", SourceFile::packageName, "call the C library through dev.carillon.sys");
        doors.one("sun.misc", SUN_MISC, "file", SourceFile::path, "use the class that already wraps it");
        doors.one(
                "internals of kotlinx.coroutines", INTERNAL, "file", SourceFile::path, "put the use into the one file");
        doors.findings.addAll(Exits.check(tree));
        doors.exceptions();
        return doors.findings;
    }

    /** Everything that matches must be in one place; the name of the place says which kind of place. */
    private void one(String what, Pattern pattern, String place, Function<SourceFile, String> placeOf, String remedy) {
        Map<String, List<SourceFile>> places = tree.stream(
                        published().and(file -> !file.name().equals("module-info.java")))
                .filter(file -> line(file, pattern) > 0)
                .collect(Collectors.groupingBy(placeOf, TreeMap::new, Collectors.toList()));
        if (places.size() > 1) {
            places.forEach((name, files) -> {
                var others = places.keySet().stream()
                        .filter(other -> !other.equals(name))
                        .toList();
                var file = files.get(0);
                findings.add(Finding.at(
                        file,
                        line(file, pattern),
                        what + " in a " + place + " of its own, while there is a door in " + String.join(", ", others),
                        "one " + place + " is enough for this danger: " + remedy));
            });
        }
    }

    /** The first line that matches in code or in a string (a class may be reached by its name), or 0. */
    private static int line(SourceFile file, Pattern pattern) {
        var inStrings = pattern == NATIVE
                ? Stream.<Integer>empty()
                : file.literals().stream()
                        .filter(literal -> pattern.matcher(literal.text()).find())
                        .map(literal -> literal.offset());
        return Stream.concat(file.inCode(pattern).map(match -> match.start()), inStrings)
                .mapToInt(file::lineAt)
                .min()
                .orElse(0);
    }

    private void exceptions() {
        var reviewed = Exceptions.read(tree);
        findings.addAll(reviewed.malformed());
        findings.addAll(reviewed.compare("suppress", "a suppressed warning", count(SUPPRESS)));
        findings.addAll(reviewed.compare("throwable", "a catch of everything", count(THROWABLE)));
    }

    private Map<SourceFile, List<Integer>> count(Pattern pattern) {
        return tree.stream(SourceFile::isMain)
                .filter(file -> file.inCode(pattern).findAny().isPresent())
                .collect(Collectors.toMap(
                        file -> file,
                        file -> file.inCode(pattern)
                                .map(match -> file.lineAt(match.start()))
                                .toList()));
    }

    static Predicate<SourceFile> published() {
        return file -> file.isMain() && Modules.PUBLISHED.contains(file.module());
    }
}

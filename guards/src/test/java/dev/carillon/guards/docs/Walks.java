package dev.carillon.guards.docs;

import dev.carillon.guards.tree.Finding;
import dev.carillon.guards.tree.Modules;
import dev.carillon.guards.tree.SourceFile;
import dev.carillon.guards.tree.SourceTree;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/**
 * Follows the walks that {@code docs/architecture.md} draws: rows {@code | walk | files | `Class.method`, ... |}. Each
 * step names a file of a published module and a method that it declares, and the number of files is that of the row.
 */
final class Walks {
    private static final String PATH = "docs/architecture.md";
    private static final Pattern ROW = Pattern.compile("^\\| ([^|]+) \\| (\\d+) \\| (.*) \\|$");
    private static final Pattern STEP = Pattern.compile("`([^`]+)`");
    private static final Pattern NAMED = Pattern.compile("([A-Z]\\w*)\\.(\\w+)");
    private static final String NO_TYPE = "return|new|else|throw|case|yield|do|assert";

    private final SourceTree tree;
    private final List<Finding> findings = new ArrayList<>();
    private int drawn;

    private Walks(SourceTree tree) {
        this.tree = tree;
    }

    static List<Finding> check(SourceTree tree) {
        return of(tree).findings;
    }

    /** How many walks are drawn. */
    static int count(SourceTree tree) {
        return of(tree).drawn;
    }

    private static Walks of(SourceTree tree) {
        var walks = new Walks(tree);
        tree.file(PATH).ifPresent(walks::read);
        return walks;
    }

    private void read(SourceFile file) {
        var lines = file.lines();
        boolean isHere = false;
        for (int i = 0; i < lines.size(); i++) {
            isHere = lines.get(i).startsWith("## ") ? lines.get(i).equals("## Walks") : isHere;
            var row = ROW.matcher(lines.get(i));
            if (isHere && row.matches()) {
                walk(file, i + 1, row);
            }
        }
    }

    private void walk(SourceFile file, int line, MatchResult row) {
        drawn++;
        var files = new LinkedHashSet<String>();
        STEP.matcher(row.group(3))
                .results()
                .forEach(step -> step(step.group(1))
                        .ifPresentOrElse(
                                source -> files.add(source.path()),
                                () -> findings.add(Finding.at(
                                        file,
                                        line,
                                        row.group(1) + ": no published source declares " + step.group(1),
                                        "write the step as Class.method, with the names that they have now"))));
        if (files.size() != Integer.parseInt(row.group(2))) {
            findings.add(Finding.at(
                    file,
                    line,
                    row.group(1) + ": the walk passes " + files.size() + " files and its row says " + row.group(2),
                    "write " + files.size() + ", and if that is more than before, find a shorter way"));
        }
    }

    /** The file that a step leads to. */
    private Optional<SourceFile> step(String step) {
        var name = NAMED.matcher(step);
        return name.matches()
                ? tree.stream(file -> file.isMain() && Modules.PUBLISHED.contains(file.module()))
                        .filter(file -> file.name().matches(name.group(1) + "\\.(?:java|kt)"))
                        .filter(file -> declares(file, name.group(2)))
                        .findFirst()
                : Optional.empty();
    }

    /** A method's name stands behind a type, or behind {@code fun} and perhaps its receiver. */
    static boolean declares(SourceFile file, String method) {
        var declaration = file.isKotlin()
                ? "\\bfun\\s+(?:<[^(]*>\\s*)?(?:[\\w<>?, *]+\\.)?" + method + "\\s*[(<]"
                : "(?:^|[\\s.])(?!(?:" + NO_TYPE + ")\\s)[\\w$]+(?:<[^(){};]*>)?(?:\\[\\])*\\s+" + method + "\\s*\\(";
        return file.inCode(Pattern.compile(declaration, Pattern.MULTILINE))
                .findAny()
                .isPresent();
    }
}

package dev.carillon.guards.docs;

import dev.carillon.guards.tree.Finding;
import dev.carillon.guards.tree.SourceFile;
import dev.carillon.guards.tree.SourceTree;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/** Looks up every test that a document names, by its class, or by its class and method. */
final class DocTests {
    /** A capital and a small letter, which leaves out QUIT, and no star before it, which leaves out suffixes. */
    private static final Pattern NAME =
            Pattern.compile("(?<![*\\w])([A-Z][a-z]\\w*(?:Test|IT|Contract))\\b(?:[#.]([a-z]\\w+)\\b)?");

    private static final Pattern CLASS = Pattern.compile("\\b(?:class|record|interface|enum|object) +(\\w+)");
    private static final Pattern METHOD = Pattern.compile("\\b([a-z]\\w+)`? *\\(");

    private final Set<String> classes = new HashSet<>();
    private final Set<String> methods = new HashSet<>();
    private final List<Finding> findings = new ArrayList<>();

    private DocTests() {}

    static List<Finding> check(SourceTree tree) {
        var tests = new DocTests();
        tree.stream(file -> file.isCode() && file.path().matches("[^/]+/src/.*"))
                .forEach(tests::learn);
        DocLinks.documents(tree).forEach(tests::read);
        return tests.findings;
    }

    private void learn(SourceFile file) {
        CLASS.matcher(file.code()).results().forEach(match -> classes.add(match.group(1)));
        METHOD.matcher(file.code()).results().forEach(match -> methods.add(match.group(1)));
    }

    private void read(SourceFile file) {
        var lines = file.lines();
        for (int i = 0; i < lines.size(); i++) {
            int line = i + 1;
            NAME.matcher(lines.get(i)).results().forEach(name -> {
                var method = name.group(2);
                if (!classes.contains(name.group(1))) {
                    report(file, line, name.group(1), "a class");
                } else if (method != null && !method.matches("java|kt|class") && !methods.contains(method)) {
                    report(file, line, name.group(), "a method");
                }
            });
        }
    }

    private void report(SourceFile file, int line, String name, String kind) {
        findings.add(Finding.at(
                file, line, "the test " + name + " is not there", "name " + kind + " that is, or write the test"));
    }
}

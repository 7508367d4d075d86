package dev.carillon.guards.docs;

import dev.carillon.guards.docs.Spec.Rule;
import dev.carillon.guards.tree.Finding;
import dev.carillon.guards.tree.SourceFile;
import dev.carillon.guards.tree.SourceTree;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Matches rules with the comments in code that name them: one where it is done, one where it is tried. */
final class SpecCoverage {
    private static final Pattern TAG = Pattern.compile("r\\[(impl|verify)\\s+([^\\]\\s]+)\\s*\\]");

    private static final Pattern COUNT =
            Pattern.compile("^\\| (?:\\[(\\w+\\.md)\\]\\([^)]*\\) \\|[^|]*|\\| all) \\| (\\d+) \\|$");

    private final Spec spec;
    private final Set<String> implemented = new HashSet<>();
    private final Set<String> verified = new HashSet<>();
    private final List<Finding> findings = new ArrayList<>();

    private SpecCoverage(Spec spec) {
        this.spec = spec;
    }

    static SpecCoverage of(SourceTree tree) {
        var coverage = new SpecCoverage(Spec.of(tree));
        coverage.findings.addAll(coverage.spec.findings());
        tree.stream(file -> file.isMain() || file.isTest()).forEach(coverage::tags);
        coverage.spec.rules().values().forEach(coverage::rule);
        tree.file("docs/spec/README.md").ifPresent(coverage::counts);
        return coverage;
    }

    List<Finding> findings() {
        return findings;
    }

    private void tags(SourceFile file) {
        TAG.matcher(file.comments()).results().forEach(tag -> {
            int line = file.lineAt(tag.start());
            var id = tag.group(2);
            boolean implementation = tag.group(1).equals("impl");
            if (!spec.rules().containsKey(id)) {
                findings.add(Finding.at(
                        file,
                        line,
                        tag.group() + " names a rule that does not exist",
                        "correct the id, or write the rule into docs/spec first"));
            } else if (implementation != file.isMain()) {
                findings.add(Finding.at(
                        file,
                        line,
                        tag.group() + " stands in a " + (file.isMain() ? "main" : "test") + " source",
                        "code carries r[impl " + id + "], its test r[verify " + id + "]"));
            } else {
                (implementation ? implemented : verified).add(id);
            }
        });
    }

    private void rule(Rule rule) {
        boolean done = implemented.contains(rule.id());
        boolean tried = verified.contains(rule.id());
        if (rule.isPlanned() && done && tried) {
            findings.add(rule.finding("is planned, yet implemented and verified", "remove (planned)"));
        } else if (!rule.isPlanned() && !(done && tried)) {
            var missing = done ? "no test names it" : tried ? "no code names it" : "neither code nor a test names it";
            findings.add(rule.finding(
                    "is not planned, but " + missing,
                    "put r[impl " + rule.id() + "] where it is done and r[verify " + rule.id()
                            + "] where a test would notice, or mark the rule (planned)"));
        }
    }

    /** The table of the pages says how many rules each has, and its last row how many there are. */
    private void counts(SourceFile readme) {
        var lines = readme.lines();
        for (int i = 0; i < lines.size(); i++) {
            var row = COUNT.matcher(lines.get(i));
            if (row.matches()) {
                var page = row.group(1);
                long there = spec.rules().values().stream()
                        .filter(rule -> page == null || rule.file().name().equals(page))
                        .count();
                if (there != Integer.parseInt(row.group(2))) {
                    findings.add(Finding.at(
                            readme,
                            i + 1,
                            (page == null ? "the specification" : page) + " has " + there + " rules",
                            "write that number into the row"));
                }
            }
        }
    }

    /** How many rules there are, and how far they have come, by file. */
    String summary() {
        var files = spec.rules().values().stream()
                .collect(Collectors.groupingBy(rule -> rule.file().path(), TreeMap::new, Collectors.toList()));
        var text = new StringBuilder("rules planned implemented verified\n");
        files.forEach((path, rules) -> text.append(row(rules, path)));
        return text.append(row(spec.rules().values(), "in total")).toString();
    }

    private String row(Collection<Rule> rules, String name) {
        return "%5d %7d %11d %8d  %s%n"
                .formatted(
                        rules.size(),
                        rules.stream().filter(Rule::isPlanned).count(),
                        rules.stream()
                                .filter(rule -> implemented.contains(rule.id()))
                                .count(),
                        rules.stream()
                                .filter(rule -> verified.contains(rule.id()))
                                .count(),
                        name);
    }
}

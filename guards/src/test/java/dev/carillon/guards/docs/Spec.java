package dev.carillon.guards.docs;

import dev.carillon.guards.tree.Finding;
import dev.carillon.guards.tree.SourceFile;
import dev.carillon.guards.tree.SourceTree;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;

/** The rules under {@code docs/spec}, each with its id, its mark and its line. */
final class Spec {
    private static final Pattern RULE = Pattern.compile("^r\\[([^\\]]*)\\](\\s\\(planned\\))?(\\s+\\S.*)?$");
    private static final Pattern ID = Pattern.compile("[a-z0-9]+(\\.[a-z0-9-]+)+");

    private final TreeMap<String, Rule> rules = new TreeMap<>();
    private final List<Finding> findings = new ArrayList<>();

    private Spec() {}

    record Rule(String id, boolean isPlanned, SourceFile file, int line) {
        Finding finding(String problem, String remedy) {
            return Finding.at(file, line, "rule " + id + " " + problem, remedy);
        }
    }

    static Spec of(SourceTree tree) {
        var spec = new Spec();
        tree.matching("docs/spec/.*\\.md").forEach(spec::read);
        return spec;
    }

    Map<String, Rule> rules() {
        return rules;
    }

    /** What is wrong with the rules themselves. */
    List<Finding> findings() {
        return findings;
    }

    private void read(SourceFile file) {
        var lines = file.markdown().prose();
        for (int i = 0; i < lines.size(); i++) {
            if (lines.get(i).startsWith("r[")) {
                rule(file, i + 1, lines.get(i));
            }
        }
    }

    private void rule(SourceFile file, int line, String text) {
        var match = RULE.matcher(text);
        if (!match.matches()
                || match.group(3) == null
                || !ID.matcher(match.group(1)).matches()) {
            findings.add(Finding.at(
                    file,
                    line,
                    "cannot read the rule: " + text,
                    "write r[the.id] in lower case with at least one dot, then (planned) if it is, then the text"));
            return;
        }
        var rule = new Rule(match.group(1), match.group(2) != null, file, line);
        var before = rules.putIfAbsent(rule.id(), rule);
        if (before != null) {
            findings.add(rule.finding(
                    "is declared twice, first in " + before.file() + ":" + before.line(),
                    "give one of them another id"));
        }
    }
}

package dev.carillon.guards.docs;

import dev.carillon.guards.tree.Finding;
import dev.carillon.guards.tree.SourceFile;
import dev.carillon.guards.tree.SourceTree;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** Follows every relative link of the documents: root files and everything under {@code docs/}. */
final class DocLinks {
    private static final Pattern LINK = Pattern.compile("\\]\\(\\s*<?([^)\\s>]+)>?(?:\\s+\"[^\"]*\")?\\s*\\)"
            + "|^\\s*\\[[^\\]^]+\\]:\\s*(\\S+)|(?:href|src)=\"([^\"]+)\"");
    private static final Pattern ELSEWHERE = Pattern.compile("^(?:[a-z][a-z0-9+.-]*:|//).*");
    private static final Pattern LINES = Pattern.compile("L(\\d+)(?:-L\\d+)?");
    private static final Pattern MACHINE = Pattern.compile("(?<![\\w.~$)}-])/(?:work|home|root)(?![\\w-])");

    private final SourceTree tree;
    private final List<Finding> findings = new ArrayList<>();

    private DocLinks(SourceTree tree) {
        this.tree = tree;
    }

    static List<Finding> check(SourceTree tree) {
        var links = new DocLinks(tree);
        documents(tree).forEach(links::read);
        return links.findings;
    }

    static List<SourceFile> documents(SourceTree tree) {
        return tree.matching("[^/]+\\.md|docs/.*\\.md");
    }

    private void read(SourceFile file) {
        var prose = file.markdown().prose();
        for (int i = 0; i < prose.size(); i++) {
            int line = i + 1;
            LINK.matcher(prose.get(i)).results().forEach(match -> {
                for (int group = 1; group <= 3; group++) {
                    if (match.group(group) != null) {
                        follow(file, line, match.group(group));
                    }
                }
            });
        }
        var lines = file.lines();
        for (int i = 0; i < lines.size(); i++) {
            if (MACHINE.matcher(lines.get(i)).find()) {
                findings.add(Finding.at(
                        file,
                        i + 1,
                        "a path of somebody's machine: " + lines.get(i).strip(),
                        "write it relative to the root, or with a name in capitals, such as HOME"));
            }
        }
    }

    private void follow(SourceFile file, int line, String link) {
        if (ELSEWHERE.matcher(link).matches()) {
            return;
        }
        int hash = link.indexOf('#');
        var path = URLDecoder.decode(hash < 0 ? link : link.substring(0, hash), StandardCharsets.UTF_8);
        var target = path.isEmpty()
                ? file.absolute()
                : file.absolute().resolveSibling(path).normalize();
        if (!target.startsWith(tree.root()) || !Files.exists(target)) {
            findings.add(Finding.at(
                    file,
                    line,
                    "the link " + link + " leads nowhere",
                    "correct the path; it is read from the folder of this document"));
        } else if (hash >= 0) {
            anchor(file, line, link, target, link.substring(hash + 1));
        }
    }

    private void anchor(SourceFile file, int line, String link, Path target, String anchor) {
        var there = tree.file(tree.root().relativize(target).toString());
        if (there.isEmpty() || !exists(there.get(), anchor)) {
            findings.add(Finding.at(
                    file,
                    line,
                    "the link " + link + " names no place in " + tree.root().relativize(target),
                    "name a heading of it, in lower case with hyphens for blanks" + known(there.orElse(file))));
        }
    }

    private static boolean exists(SourceFile file, String anchor) {
        var lines = LINES.matcher(anchor);
        return lines.matches()
                ? Integer.parseInt(lines.group(1)) <= file.lines().size()
                : file.name().endsWith(".md") && file.markdown().anchors().contains(anchor);
    }

    private static String known(SourceFile file) {
        return file.name().endsWith(".md")
                ? "; there are " + file.markdown().anchors().stream().sorted().toList()
                : "";
    }
}

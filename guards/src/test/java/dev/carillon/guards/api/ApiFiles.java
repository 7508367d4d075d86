package dev.carillon.guards.api;

import dev.carillon.guards.tree.ClassRoots;
import dev.carillon.guards.tree.Finding;
import dev.carillon.guards.tree.Guard;
import dev.carillon.guards.tree.Modules;
import dev.carillon.guards.tree.SourceTree;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Compares each published module's API with its file under {@code api/}, or writes the file. */
final class ApiFiles {
    private final SourceTree tree;
    private final Map<String, List<Path>> classes;

    ApiFiles(SourceTree tree, String classPath) {
        this.tree = tree;
        this.classes = ClassRoots.of(tree, classPath);
    }

    List<Finding> check(ClassLoader loader, boolean update) {
        var findings = new ArrayList<Finding>();
        var known = new LinkedHashSet<String>();
        for (var module : Modules.of(tree)) {
            if (Modules.PUBLISHED.contains(module)) {
                var path = "api/" + Modules.artifact(tree, module) + ".api";
                known.add(path);
                var folders = classes.getOrDefault(module, List.of());
                var text = PublicApi.text(PublicApi.of(tree, module, folders, loader));
                if (update) {
                    Guard.write(tree.root().resolve(path), text);
                } else {
                    findings.addAll(compare(
                            path, tree.file(path).map(file -> file.text()).orElse(""), text));
                }
            }
        }
        findings.addAll(strangers(known));
        return findings;
    }

    private List<Finding> strangers(Set<String> known) {
        return tree.matching("api/.*\\.api").stream()
                .filter(file -> !known.contains(file.path()))
                .map(file -> Finding.at(file, 1, "no published module has this artifact name", "delete the file"))
                .toList();
    }

    private static List<Finding> compare(String path, String reviewed, String found) {
        var before = qualified(reviewed);
        var now = qualified(found);
        var lines = new ArrayList<String>();
        before.stream().filter(line -> !now.contains(line)).forEach(line -> lines.add("- " + line));
        now.stream().filter(line -> !before.contains(line)).forEach(line -> lines.add("+ " + line));
        if (lines.isEmpty()) {
            return List.of();
        }
        var remedy = "make it package-private or internal if no program may depend on it; if the change is meant, run  "
                + Guard.accept("PublicApiTest") + "  and commit the file";
        var problem = "the public API is another than the reviewed one:\n        " + String.join("\n        ", lines);
        return List.of(new Finding(path + ":" + firstDifference(reviewed, found), problem, remedy));
    }

    private static int firstDifference(String reviewed, String found) {
        var before = reviewed.lines().toList();
        var now = found.lines().toList();
        int same = 0;
        while (same < Math.min(before.size(), now.size()) && before.get(same).equals(now.get(same))) {
            same++;
        }
        return same + 1;
    }

    /** Each member behind its type, so that the same signature in two types is two lines. */
    private static Set<String> qualified(String text) {
        var lines = new LinkedHashSet<String>();
        var type = "";
        for (var line : text.lines().toList()) {
            if (!line.startsWith(" ") && !line.isEmpty()) {
                type = line.replaceAll("^.*?\\b(?:class|interface|enum|record) ([\\w.]+).*$", "$1");
                lines.add(line);
            } else if (!line.isEmpty()) {
                lines.add(type + ": " + line.strip());
            }
        }
        return lines;
    }
}

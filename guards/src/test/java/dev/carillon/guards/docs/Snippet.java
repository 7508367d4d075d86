package dev.carillon.guards.docs;

import dev.carillon.guards.tree.SourceFile;
import java.util.ArrayList;
import java.util.List;

/** Lines of a source as a document shows them: without the indentation that all have, without marks of regions. */
final class Snippet {
    private Snippet() {}

    /** What follows the package and the imports. */
    static List<String> whole(SourceFile file) {
        var lines = file.lines();
        int start = 0;
        for (int i = 0; i < lines.size(); i++) {
            if (lines.get(i).matches("(?:package|import)\\s.*|@file:.*")) {
                start = i + 1;
            }
        }
        return trimmed(lines.subList(start, lines.size()));
    }

    /** What stands between {@code // region NAME} and its end; empty where there is no such region. */
    static List<String> region(SourceFile file, String name) {
        var lines = new ArrayList<String>();
        int depth = 0;
        for (var line : file.lines()) {
            var mark = line.strip();
            if (depth == 0) {
                depth = mark.equals("// region " + name) ? 1 : 0;
            } else if (mark.startsWith("// region ")) {
                depth++;
            } else if (mark.equals("// endregion")) {
                if (--depth == 0) {
                    return trimmed(lines);
                }
            } else {
                lines.add(line);
            }
        }
        return List.of();
    }

    static List<String> trimmed(List<String> lines) {
        var text = String.join("\n", lines).replaceAll("(?m)^\\s*// (?:region .*|endregion)\\n?", "");
        return (text + "\n")
                .replaceAll("^(?:[ \\t]*\\n)+", "")
                .stripTrailing()
                .stripIndent()
                .lines()
                .toList();
    }

    /** The first line that differs, from both sides. */
    static String difference(List<String> source, List<String> shown) {
        int i = 0;
        while (i < source.size() && i < shown.size() && source.get(i).equals(shown.get(i))) {
            i++;
        }
        return ", first in its line " + (i + 1) + ":\n        source:   " + line(source, i) + "\n        document: "
                + line(shown, i);
    }

    private static String line(List<String> lines, int i) {
        return i < lines.size() ? lines.get(i) : "(nothing)";
    }
}

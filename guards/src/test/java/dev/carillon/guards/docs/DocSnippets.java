package dev.carillon.guards.docs;

import dev.carillon.guards.tree.Finding;
import dev.carillon.guards.tree.Guard;
import dev.carillon.guards.tree.Markdown.Fence;
import dev.carillon.guards.tree.SourceFile;
import dev.carillon.guards.tree.SourceTree;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Code shown in documents comes from sources that the build compiles. A line {@code <!-- snippet: FILE#REGION -->} above
 * a block names the source; a block in the document is only a copy.
 */
final class DocSnippets {
    private static final Set<String> LANGUAGES = Set.of("java", "kotlin", "kt");
    private static final Pattern MARKER =
            Pattern.compile("^\\s*<!--\\s*snippet:\\s*([^#\\s]+)(?:#(\\S+))?\\s*-->\\s*$");
    private static final Pattern COMPILED = Pattern.compile("[^/]+/src/(?:main|test)/(?:java|kotlin)/.*\\.(?:java|kt)");

    private final SourceTree tree;
    private final boolean update;
    private final List<Finding> findings = new ArrayList<>();

    private DocSnippets(SourceTree tree, boolean update) {
        this.tree = tree;
        this.update = update;
    }

    /** @param update copy the sources into the documents instead of reporting a difference */
    static List<Finding> check(SourceTree tree, boolean update) {
        var snippets = new DocSnippets(tree, update);
        DocLinks.documents(tree).forEach(snippets::document);
        return snippets.findings;
    }

    private void document(SourceFile file) {
        var lines = new ArrayList<>(file.lines());
        var before = List.copyOf(lines);
        var fences = new ArrayList<>(file.markdown().fences());
        // From the end, so that a block that grows moves none of those still to do.
        for (int i = fences.size() - 1; i >= 0; i--) {
            block(file, lines, fences.get(i));
        }
        for (int i = 0; i < before.size(); i++) {
            int line = i + 2;
            if (MARKER.matcher(before.get(i)).matches() && fences.stream().noneMatch(fence -> fence.line() == line)) {
                findings.add(Finding.at(
                        file,
                        i + 1,
                        "this marker has no code block below it",
                        "put the block right under it, or delete the marker"));
            }
        }
        if (update && !lines.equals(before)) {
            Guard.write(file.absolute(), String.join("\n", lines) + "\n");
        }
    }

    private void block(SourceFile file, List<String> lines, Fence fence) {
        var marker = MARKER.matcher(fence.line() < 2 ? "" : lines.get(fence.line() - 2));
        if (marker.matches()) {
            var wanted = source(file, fence, marker.group(1), marker.group(2));
            if (wanted.isEmpty() || wanted.equals(Snippet.trimmed(fence.body()))) {
                return;
            }
            if (update) {
                lines.subList(fence.line(), fence.end() - 1).clear();
                lines.addAll(fence.line(), wanted);
            } else {
                findings.add(Finding.at(
                        file,
                        fence.line(),
                        "this block is not what " + marker.group(1) + " says"
                                + Snippet.difference(wanted, Snippet.trimmed(fence.body())),
                        "change the source, then copy it with  " + Guard.accept("DocSnippetsTest")));
            }
        } else if (LANGUAGES.contains(fence.language())) {
            findings.add(
                    Finding.at(
                            file,
                            fence.line(),
                            "this " + fence.language() + " block comes from no compiled source",
                            "put it into a sample and name it in the line above:  <!-- snippet: samples/src/main/...#region -->"));
        }
    }

    /** The lines that a marker names; empty, with a finding, where there are none. */
    private List<String> source(SourceFile file, Fence fence, String path, String region) {
        var source =
                tree.file(path).filter(found -> COMPILED.matcher(found.path()).matches());
        if (source.isEmpty()) {
            findings.add(Finding.at(
                    file,
                    fence.line() - 1,
                    path + " is no source that the build compiles",
                    "name a file below a module's src/main or src/test, from the root"));
            return List.of();
        }
        var wanted = region == null ? Snippet.whole(source.get()) : Snippet.region(source.get(), region);
        if (wanted.isEmpty()) {
            findings.add(Finding.at(
                    file,
                    fence.line() - 1,
                    path + " has no region " + region,
                    "put // region " + region + " and // endregion around the lines to show"));
        }
        return wanted;
    }
}

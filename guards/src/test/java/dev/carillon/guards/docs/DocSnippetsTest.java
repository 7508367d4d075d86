package dev.carillon.guards.docs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.guards.tree.Guard;
import dev.carillon.guards.tree.Planted;
import dev.carillon.guards.tree.SourceTree;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class DocSnippetsTest {
    private static final String SAMPLE = "samples/src/main/kotlin/S.kt";
    private static final String KOTLIN = """
            package s

            import a.b

            fun main() {
                // region wait
                val signal = await()
                if (signal) {
                    // region deep
                    leave()
                    // endregion
                }
                // endregion
            }
            """;

    @TempDir
    Path root;

    @Test
    void codeInDocumentsComesFromCompiledSources() {
        Guard.passes("Code in documents is compiled", DocSnippets.check(SourceTree.real(), Guard.updates()));
    }

    @Test
    void aCopyOfARegionAndOfAFileIsFine() {
        plant(SAMPLE, KOTLIN);
        plant(
                "README.md",
                "<!-- snippet: " + SAMPLE + "#wait -->\n"
                        + fence("val signal = await()\nif (signal) {\n    leave()\n}") + "\n<!-- snippet: " + SAMPLE
                        + " -->\n"
                        + fence(
                                "fun main() {\n    val signal = await()\n    if (signal) {\n        leave()\n    }\n}"));

        said(0, "");
    }

    @Test
    void aBlockThatDiffersIsReportedAndCopiedOnDemand() throws IOException {
        plant(SAMPLE, KOTLIN);
        plant("README.md", "# A\n<!-- snippet: " + SAMPLE + "#deep -->\n" + fence("stay()") + "\nEnd.\n");

        said(1, "README.md:3: this block is not what " + SAMPLE + """
                 says, first in its line 1:
                        source:   leave()
                        document: stay()\
                """);
        assertEquals(0, DocSnippets.check(SourceTree.of(root), true).size());
        assertEquals(
                "# A\n<!-- snippet: " + SAMPLE + "#deep -->\n" + fence("leave()") + "\nEnd.\n",
                Files.readString(root.resolve("README.md")));
        said(0, "");
    }

    @Test
    void aBlockOfNoSourceIsReported() {
        plant("docs/a.md", "Text.\n\n```java\nint a;\n```\n\n```sh\nls\n```\n");

        said(1, "docs/a.md:3: this java block comes from no compiled source");
    }

    @Test
    void aMarkerOfNoSourceIsReported() {
        plant("docs/S.kt", KOTLIN);
        plant("docs/a.md", "<!-- snippet: docs/S.kt -->\n" + fence("x"));

        said(1, "docs/a.md:1: docs/S.kt is no source that the build compiles");
    }

    @Test
    void aMarkerOfNoRegionIsReported() {
        plant(SAMPLE, KOTLIN);
        plant("docs/a.md", "<!-- snippet: " + SAMPLE + "#gone -->\n" + fence("x"));

        said(1, "docs/a.md:1: " + SAMPLE + " has no region gone");
    }

    @Test
    void aMarkerWithoutABlockIsReported() {
        plant(SAMPLE, KOTLIN);
        plant("docs/a.md", "<!-- snippet: " + SAMPLE + " -->\n\n" + fence("x").replace("kotlin", ""));

        said(1, "docs/a.md:1: this marker has no code block below it");
    }

    private static String fence(String body) {
        return "```kotlin\n" + body + "\n```\n";
    }

    private void plant(String path, String text) {
        new Planted(root).with(path, text);
    }

    private void said(int count, String start) {
        var findings = DocSnippets.check(SourceTree.of(root), false);
        assertEquals(count, findings.size(), findings.toString());
        assertTrue(count == 0 || findings.get(0).toString().startsWith(start), findings.toString());
    }
}

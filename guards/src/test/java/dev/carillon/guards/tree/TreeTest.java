package dev.carillon.guards.tree;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class TreeTest {
    @TempDir
    Path root;

    @Test
    void whatGitIgnoresIsNoPartOfTheTree() {
        var tree = new Planted(root)
                .with(".gitignore", "target/\n*.iml\n# a comment\n")
                .with("a/target/A.java", "")
                .with("a/src/main/java/A.java", "")
                .with("a.iml", "")
                .tree();

        assertEquals(
                List.of(".gitignore", "a/src/main/java/A.java"),
                tree.files().stream().map(SourceFile::path).toList());
    }

    @Test
    void anOutlineKnowsWhereItIs() {
        var code =
                "package a;\nclass Outer { @Nested static class Inner { void run(int x) throws E { if (x) { HERE } } } }";
        var outline = Outline.of(code, false);
        int here = code.indexOf("HERE");

        assertEquals("run", outline.methodAt(here).orElseThrow().name());
        var inner = outline.typeAt(here).orElseThrow();
        assertEquals("Inner", inner.name());
        assertTrue(inner.header().contains("@Nested"), inner.header());
        assertEquals("Outer", inner.enclosingType().orElseThrow().name());
    }

    @Test
    void anOutlineReadsKotlin() {
        var code = "object Door {\n  fun String.leave(code: Int): Nothing {\n    run { HERE }\n  }\n}\n";
        var outline = Outline.of(code, true);
        int here = code.indexOf("HERE");

        assertEquals("leave", outline.methodAt(here).orElseThrow().name());
        assertEquals("Door", outline.typeAt(here).orElseThrow().name());
    }

    @Test
    void headingsBecomeAnchorsAndFencesAreNoProse() {
        var markdown =
                Markdown.of("# A `Loop`, twice!\n\n```java\n# no heading\n```\n# A Loop twice\n<a id=\"own\"></a>\n");

        assertEquals(Set.of("a-loop-twice", "a-loop-twice-1", "own"), markdown.anchors());
        assertEquals(
                List.of("java"),
                markdown.fences().stream().map(Markdown.Fence::language).toList());
        assertFalse(markdown.prose().contains("# no heading"));
    }

    @Test
    void everyFindingIsToldAtOnce() {
        var findings = List.of(new Finding("b:2", "second", "do this"), new Finding("a:1", "first", "do that"));
        var error = assertThrows(AssertionError.class, () -> Guard.passes("Rule", findings));

        assertEquals(
                "Rule; 2 places need your attention:\n  a:1: first\n      -> do that\n  b:2: second\n      -> do this\n",
                error.getMessage());
    }
}

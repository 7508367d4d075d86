package dev.carillon.guards.docs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.guards.tree.Guard;
import dev.carillon.guards.tree.Planted;
import dev.carillon.guards.tree.SourceTree;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class DocLinksTest {
    @TempDir
    Path root;

    @Test
    void everyLinkLeadsSomewhere() {
        Guard.passes("Every link leads somewhere", DocLinks.check(SourceTree.real()));
    }

    @Test
    void linksThatLeadSomewhereAreFine() {
        plant("docs/a.md", """
                # The first `Part`
                [up](../README.md), [here](#the-first-part), [folder](.), <a href="../README.md#top">x</a>
                [code](../build.kts#L2), [web](https://example.org/nowhere), `[no](link)`
                ```
                [no](link)
                ```
                [named]: ../README.md#top "Title"
                """);
        plant("README.md", "# Top\n");
        plant("build.kts", "a\nb\n");

        said(0, "");
    }

    @Test
    void aDeadLinkIsReported() {
        plant("README.md", "# A\n\nSee [the guide](docs/guide.md).\n");

        said(1, "README.md:3: the link docs/guide.md leads nowhere");
    }

    @Test
    void aDeadAnchorIsReportedWithThoseThatLive() {
        plant("README.md", "See [it](docs/a.md#gone).\n");
        plant("docs/a.md", "# Here\n");

        said(
                1,
                "README.md:1: the link docs/a.md#gone names no place in docs/a.md\n      -> name a heading of it, in lower "
                        + "case with hyphens for blanks; there are [here]");
    }

    @Test
    void aLinkOutOfTheTreeIsReported() {
        plant("README.md", "[out](../README.md)\n");

        said(1, "README.md:1: the link ../README.md leads nowhere");
    }

    @Test
    void aPathOfSomebodysMachineIsReported() {
        plant("docs/a.md", """

                Run `/home/me/carillon demo`. A relative docs/home/x is fine.
                """);

        said(1, "docs/a.md:2: a path of somebody's machine");
    }

    private void plant(String path, String text) {
        new Planted(root).with(path, text);
    }

    private void said(int count, String start) {
        var findings = DocLinks.check(SourceTree.of(root));
        assertEquals(count, findings.size(), findings.toString());
        assertTrue(count == 0 || findings.get(0).toString().startsWith(start), findings.toString());
    }
}

package dev.carillon.guards.docs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.guards.tree.Guard;
import dev.carillon.guards.tree.Planted;
import dev.carillon.guards.tree.SourceTree;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class DocNamesTest {
    @TempDir
    Path root;

    @BeforeEach
    void plantAClass() {
        new Planted(root).with("runtime-java/src/main/java/Fd.java", """
                final class Fd {
                    record Claim() {}
                    java.util.concurrent.CompletionStage<Claim> acquire() { return null; }
                }
                """);
    }

    @Test
    void everyClassThatADocumentNamesIsInTheCode() {
        Guard.passes("Every class and method that a document names is in the code", DocNames.check(SourceTree.real()));
    }

    @Test
    void whatIsThereIsFineAndSoAreOtherWords() {
        said(0, """
                `Fd`, `Fd.acquire`, `Fd#acquire()`, `Fd.java`, a `CompletionStage`, `SIGTERM`, `*FuzzTest`, `docs/Gone`.
                ```
                Gone.method()
                ```
                Gone without backquotes
                """, "");
    }

    @Test
    void aClassThatIsGoneIsReported() {
        said(1, "See\n`GoneMailbox`.\n", "README.md:2: GoneMailbox is not in the code");
    }

    @Test
    void aMethodThatIsGoneIsReported() {
        said(1, "See `Fd.enter`.\n", "README.md:1: Fd.enter is not in the code");
    }

    private void said(int count, String document, String start) {
        new Planted(root).with("README.md", document);
        var findings = DocNames.check(SourceTree.of(root));
        assertEquals(count, findings.size(), findings.toString());
        assertTrue(count == 0 || findings.get(0).toString().startsWith(start), findings.toString());
    }
}

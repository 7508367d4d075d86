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

final class DocTestsTest {
    @TempDir
    Path root;

    @BeforeEach
    void plantATest() {
        new Planted(root).with("runtime/src/test/java/FdTest.java", """
                class FdTest {
                    @Test
                    void itIsClosedOnce() {}
                }
                """);
    }

    @Test
    void everyTestThatADocumentNamesIsThere() {
        Guard.passes("Every test that a document names is there", DocTests.check(SourceTree.real()));
    }

    @Test
    void namesOfTestsAndOtherWordsAreFine() {
        said(0, """
                `FdTest` and `FdTest#itIsClosedOnce` on SIGQUIT and QUIT; a JIT; each `*FuzzTest`; FdTest.java.
                ```
                mvn test -Dtest=FdTest
                ```
                """, "");
    }

    @Test
    void aTestThatIsNotThereIsReportedAlsoInACommand() {
        said(1, "```\nmvn test -Dtest=GoneTest\n```\n", "README.md:2: the test GoneTest is not there");
        said(1, "See `GoneIT`.\n", "README.md:1: the test GoneIT is not there");
    }

    @Test
    void aMethodThatIsNotThereIsReported() {
        said(1, "See `FdTest#itIsClosedTwice`.\n", "README.md:1: the test FdTest#itIsClosedTwice is not there");
    }

    private void said(int count, String document, String start) {
        new Planted(root).with("README.md", document);
        var findings = DocTests.check(SourceTree.of(root));
        assertEquals(count, findings.size(), findings.toString());
        assertTrue(count == 0 || findings.get(0).toString().startsWith(start), findings.toString());
    }
}

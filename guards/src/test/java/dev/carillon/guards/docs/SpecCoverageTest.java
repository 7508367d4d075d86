package dev.carillon.guards.docs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.guards.tree.Guard;
import dev.carillon.guards.tree.Planted;
import dev.carillon.guards.tree.SourceTree;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class SpecCoverageTest {
    private static final String CODE = "runtime-java/src/main/java/Loop.java";
    private static final String TEST = "runtime-java/src/test/java/LoopTest.java";

    @TempDir
    Path root;

    @Test
    void everyRuleIsImplementedAndVerifiedOrPlanned() {
        var coverage = SpecCoverage.of(SourceTree.real());
        System.out.print(coverage.summary());
        Guard.passes("Every rule of docs/spec is implemented and verified, or planned", coverage.findings());
    }

    @Test
    void aCoveredRuleAndAPlannedOneAreFine() {
        plant("docs/spec/loop.md", "r[loop.one] One.\n\nr[loop.two] (planned) Two.\n\n```\nr[Not A Rule]\n```\n");
        plant(CODE, "// r[impl loop.one]\nclass Loop {}");
        plant(TEST, "/** r[verify loop.one] */\nclass LoopTest {}");

        var coverage = SpecCoverage.of(SourceTree.of(root));
        assertEquals(0, coverage.findings().size(), coverage.findings().toString());
        assertTrue(coverage.summary().contains("    2       1           1        1  in total"), coverage.summary());
    }

    @Test
    void aRuleWithoutATestIsReported() {
        plant("docs/spec/loop.md", "# Loop\n\nr[loop.one] One.\n");
        plant(CODE, "// r[impl loop.one]\nclass Loop {}");
        plant(TEST, "class LoopTest { String s = \"// r[verify loop.one]\"; }");

        said("docs/spec/loop.md:3: rule loop.one is not planned, but no test names it");
    }

    @Test
    void aRuleWithoutCodeIsReported() {
        plant("docs/spec/loop.md", "r[loop.one] One.\n");
        plant(TEST, "// r[verify loop.one]\nclass LoopTest {}");

        said("docs/spec/loop.md:1: rule loop.one is not planned, but no code names it");
    }

    @Test
    void aRuleDeclaredTwiceIsReported() {
        plant("docs/spec/a.md", "r[loop.one] (planned) One.\n");
        plant("docs/spec/b.md", "\nr[loop.one] (planned) One again.\n");

        said("docs/spec/b.md:2: rule loop.one is declared twice, first in docs/spec/a.md:1");
    }

    @Test
    void aTableOfPagesWithAnotherCountIsReported() {
        plant("docs/spec/a.md", "r[loop.one] (planned) One.\n");
        plant("docs/spec/README.md", "| [a.md](a.md) | loops | 1 |\n| | all | 1 |\n");
        assertEquals(List.of(), SpecCoverage.of(SourceTree.of(root)).findings());

        plant("docs/spec/README.md", "| [a.md](a.md) | loops | 2 |\n| | all | 1 |\n");
        said("docs/spec/README.md:1: a.md has 1 rules");
        plant("docs/spec/README.md", "| [a.md](a.md) | loops | 1 |\n| | all | 3 |\n");
        said("docs/spec/README.md:2: the specification has 1 rules");
    }

    @Test
    void anUnknownRuleIsReported() {
        plant(CODE, "class Loop {\n    int a; // r[impl loop.nine]\n}");

        said(CODE + ":2: r[impl loop.nine] names a rule that does not exist");
    }

    @Test
    void aPlannedRuleThatIsDoneIsReported() {
        plant("docs/spec/loop.md", "r[loop.one] (planned) One.\n");
        plant("carillon-test/src/main/java/Kit.java", "// r[impl loop.one]\nclass Kit {}");
        plant(TEST, "// r[verify loop.one]\nclass LoopTest {}");

        said("docs/spec/loop.md:1: rule loop.one is planned, yet implemented and verified");
    }

    @Test
    void aTagOnTheWrongSideIsReported() {
        plant("docs/spec/loop.md", "r[loop.one] (planned) One.\n");
        plant(CODE, "// r[verify loop.one]\nclass Loop {}");

        said(CODE + ":1: r[verify loop.one] stands in a main source");
    }

    @Test
    void aRuleThatNobodyCanReadIsReported() {
        plant("docs/spec/loop.md", "r[Loop] One.\n");

        said("docs/spec/loop.md:1: cannot read the rule: r[Loop] One.");
    }

    private void plant(String path, String text) {
        new Planted(root).with(path, text);
    }

    private void said(String start) {
        var findings = SpecCoverage.of(SourceTree.of(root)).findings();
        assertEquals(1, findings.size(), findings.toString());
        assertTrue(findings.get(0).toString().startsWith(start), findings.toString());
    }
}

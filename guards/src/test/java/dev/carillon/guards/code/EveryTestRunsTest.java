package dev.carillon.guards.code;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.guards.tree.Guard;
import dev.carillon.guards.tree.Planted;
import dev.carillon.guards.tree.SourceTree;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class EveryTestRunsTest {
    private static final String JAVA = "runtime-java/src/test/java/";
    private static final String KOTLIN = "coroutines-kt/src/test/kotlin/";

    @TempDir
    Path root;

    @Test
    void everyTestRuns() {
        Guard.passes("Every test runs", EveryTestRuns.check(SourceTree.real()));
    }

    @Test
    void testsThatRunAreFine() {
        plant(JAVA + "LoopTest.java", "class LoopTest { @Test void a() {} @Nested class Inner { @Test void b() {} } }");
        plant(JAVA + "DeathIT.java", "final class DeathIT { @ParameterizedTest(name = \"{0}\") void a(int b) {} }");
        plant(JAVA + "LoopContract.java", "abstract class LoopContract { @Test void a() {} }");
        plant(JAVA + "EpollLoopTest.java", "class EpollLoopTest extends LoopContract {}");
        plant(JAVA + "KitTest.java", """
                class KitTest {
                    @Test void a() { run(Leaks.class); }
                    static class Leaks { @Test void leaks() {} }
                }""");
        plant(KOTLIN + "FlowContract.kt", "abstract class FlowContract(val a: Int) {\n  @Test fun a() {}\n}\n");
        plant(KOTLIN + "FlowTest.kt", "class FlowTest : FlowContract(1)\n");

        said(0, "");
    }

    @Test
    void aNameThatNobodyLooksAtIsReported() {
        plant(JAVA + "LoopTests.java", "class LoopTests {\n    // @Test\n    @Test void a() {}\n}");

        said(1, JAVA + "LoopTests.java:3: the tests of LoopTests never run: Surefire does not look");
    }

    @Test
    void aSecondClassInATestFileIsReported() {
        plant(
                KOTLIN + "LoopTest.kt",
                "class LoopTest {\n  @Test fun a() {}\n}\n\nclass Other {\n  @Test\n  fun b() {}\n}\n");

        said(1, KOTLIN + "LoopTest.kt:6: the tests of Other never run");
    }

    @Test
    void aNestedClassThatJupiterPassesOverIsReported() {
        plant(JAVA + "LoopTest.java", "class LoopTest {\n    class Inner {\n        @Test void b() {}\n    }\n}");

        said(1, JAVA + "LoopTest.java:3: Inner is nested without @Nested");
    }

    @Test
    void aContractThatNobodyKeepsIsReported() {
        plant(JAVA + "LoopContract.java", "abstract class LoopContract {\n    @Test void a() {}\n}");

        said(1, JAVA + "LoopContract.java:2: the tests of LoopContract never run: nothing in runtime-java extends it");
    }

    private void plant(String path, String text) {
        new Planted(root).with(path, text);
    }

    private void said(int count, String start) {
        var findings = EveryTestRuns.check(SourceTree.of(root));
        assertEquals(count, findings.size(), findings.toString());
        assertTrue(count == 0 || findings.get(0).toString().startsWith(start), findings.toString());
    }
}

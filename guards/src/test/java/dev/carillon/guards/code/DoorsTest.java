package dev.carillon.guards.code;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.guards.tree.Finding;
import dev.carillon.guards.tree.Guard;
import dev.carillon.guards.tree.Planted;
import dev.carillon.guards.tree.SourceTree;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class DoorsTest {
    private static final String RUNTIME = "runtime-java/src/main/java/dev/carillon/";
    private static final String KOTLIN = "coroutines-kt/src/main/kotlin/dev/carillon/coroutines/";

    @TempDir
    Path root;

    @Test
    void everyDangerHasOneDoor() {
        Guard.passes("Every danger has one door", Doors.check(SourceTree.real()));
    }

    @Test
    void nativeMethodsInTwoFilesAreReported() {
        plant(
                RUNTIME + "sys/JnaLibC.java",
                "package dev.carillon.sys;\nclass JnaLibC { static native int read(int fd); }");
        plant(
                RUNTIME + "sys/Other.java",
                "package dev.carillon.sys;\n// a native word\nclass Other {\n" + "  native void f(); }");

        said(
                2,
                RUNTIME + "sys/Other.java:4: native methods in a file of its own, while there is a door in " + RUNTIME
                        + "sys/JnaLibC.java");
    }

    @Test
    void jnaInTwoPackagesIsReported() {
        plant(RUNTIME + "sys/A.java", "package dev.carillon.sys;\nimport com.sun.jna.Native;\nclass A {}");
        plant(RUNTIME + "loop/B.java", "package dev.carillon.loop;\nclass B { String s = \"com.sun.jna.Native\"; }");

        said(
                2,
                RUNTIME
                        + "loop/B.java:2: com.sun.jna in a package of its own, while there is a door in dev.carillon.sys");
    }

    @Test
    void sunMiscInTwoFilesIsReported() {
        plant(RUNTIME + "signal/A.java", "package dev.carillon.signal;\nimport sun.misc.Signal;\nclass A {}");
        plant(
                RUNTIME + "signal/B.java",
                "package dev.carillon.signal;\n/** sun.misc. */\nimport sun.misc.Signal;\nclass B {}");

        said(2, RUNTIME + "signal/B.java:3: sun.misc in a file of its own");
    }

    @Test
    void internalsOfCoroutinesInTwoFilesAreReported() {
        plant("guards/exceptions.txt", "suppress 1 " + KOTLIN + "B.kt: planted\n");
        plant(KOTLIN + "A.kt", "package dev.carillon.coroutines\n@OptIn(InternalCoroutinesApi::class)\nfun a() {}\n");
        plant(KOTLIN + "B.kt", "package dev.carillon.coroutines\n@Suppress(\"INVISIBLE_MEMBER\")\nfun b() {}\n");

        said(2, KOTLIN + "B.kt:2: internals of kotlinx.coroutines in a file of its own");
    }

    @Test
    void aSecondMethodThatExitsIsReported() {
        plant(RUNTIME + "lifecycle/Door.java", """
                package dev.carillon.lifecycle;
                class Door {
                  static void leave(int code) {
                    if (code > 0) { System.exit(code); }
                    Runtime.getRuntime().halt(code);
                  }
                }\
                """);
        plant(KOTLIN + "C.kt", "package dev.carillon.coroutines\n\nfun bye(): Nothing =\n    exitProcess(1)\n");

        said(2, KOTLIN + "C.kt:4: bye ends the process, one of 2 methods that do");
    }

    @Test
    void aSampleLeavesFromMainOnly() {
        plant("samples/src/main/kotlin/S.kt", """
                fun main() {
                  exitProcess(run())
                }

                fun run(): Int {
                  exitProcess(2)
                }
                """);

        said(1, "samples/src/main/kotlin/S.kt:6: run ends the process");
    }

    @Test
    void anExceptionThatNobodyReviewedIsReportedWithTheLineToAdd() {
        plant(
                RUNTIME + "loop/L.java",
                "package dev.carillon.loop;\nclass L { void f() { try { g(); }\n"
                        + "  catch (Error | Throwable t) { h(t); } } }");

        var finding = said(1, RUNTIME + "loop/L.java:3: 1 x a catch of everything, none was reviewed")
                .get(0);
        assertTrue(finding.remedy().endsWith("throwable 1 " + RUNTIME + "loop/L.java: WHY"), finding.remedy());
    }

    @Test
    void anExceptionThatNothingNeedsIsReported() {
        plant("guards/exceptions.txt", "# ours\nsuppress 1 " + RUNTIME + "X.java: it was needed once\nnonsense\n");

        said(2, "guards/exceptions.txt:2: nothing needs this exception any more");
        said(2, "guards/exceptions.txt:3: cannot read: nonsense");
    }

    private void plant(String path, String text) {
        new Planted(root).with(path, text);
    }

    private List<Finding> said(int count, String start) {
        var findings = Doors.check(SourceTree.of(root));
        assertEquals(count, findings.size(), findings.toString());
        assertTrue(findings.stream().anyMatch(finding -> finding.toString().startsWith(start)), findings.toString());
        return findings;
    }
}

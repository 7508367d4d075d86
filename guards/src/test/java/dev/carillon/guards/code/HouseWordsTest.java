package dev.carillon.guards.code;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.guards.tree.Guard;
import dev.carillon.guards.tree.Planted;
import dev.carillon.guards.tree.SourceTree;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class HouseWordsTest {
    private static final String MAIN = "runtime-java/src/main/java/A.java";
    private static final String TEST = "runtime-java/src/test/java/ATest.java";

    @TempDir
    Path root;

    @Test
    void theHouseIsTidy() {
        Guard.passes("The house is tidy", HouseWords.check(SourceTree.real()));
    }

    @Test
    void whatIsPutOffIsReported() {
        plant("carillon", "#!/bin/sh\n# LATER: this\nmktemp /tmp/aXX".replace("LATER", "TO".concat("DO")) + "XXXX\n");

        said(1, "carillon:2: TO" + "DO puts something off");
    }

    @Test
    void aPathOfAMachineIsReportedAndARelativeOneIsNot() {
        plant("docs/a.md", "from build/work/x\nfrom " + "/work".concat("/x\n"));

        said(1, "docs/a.md:2: /work" + "/ is a path of somebody's machine");
    }

    @Test
    void anArtifactHostIsReportedAndGradlesOwnAddressIsNot() {
        plant("gradle/wrapper/gradle-wrapper.properties", "distributionUrl=https://services.gradle" + ".org/x.zip\n");
        plant("settings.gradle.kts", "maven(\"https://repo." + "maven.example\")\n");

        said(1, "settings.gradle.kts:1: repo." + "maven names a host that serves artifacts");
    }

    @Test
    void aSleepAndAHiddenTestAreReported() {
        plant(
                TEST,
                "class ATest {\n    // Thread.sleep(1)\n    @Disabled void a() {\n        Thread.sleep(1);\n    }\n}\n");

        said(2, TEST + ":4: a test sleeps");
        said(2, TEST + ":3: @Disabled hides a test");
    }

    @Test
    void tabsTrailingBlanksAndPictogramsAreReported() {
        plant(MAIN, "class A {\n\tint a; \n}\n");
        plant("README.md", "Two blanks  \nbreak a line.\n" + Character.toString(0x1F514) + "\n");

        said(3, MAIN + ":2: a tab");
        said(3, MAIN + ":2: blanks at the end of the line");
        said(3, "README.md:3: a pictogram");
    }

    @Test
    void sourcesThatGitIgnoresAreReported() {
        plant(".gitignore", "build/\n");
        plant("core/build/A.java", "class A {}");
        plant("core/src/main/java/build/A.java", "class A {}");

        said(1, "core/src/main/java/build: git ignores this folder");
    }

    @Test
    void aLongFileIsReportedWithTheLineThatAllowsIt() {
        plant(MAIN, "// line\n".repeat(401));

        said(
                1,
                MAIN + ":401: 401 lines, 400 are allowed\n      -> split it by subject, or put this line into "
                        + "guards/exceptions.txt with your reason:  length 401 " + MAIN + ": WHY");
    }

    @Test
    void aLongFileWithAReasonIsFineAndAReasonWithoutOneIsReported() {
        plant(MAIN, "// line\n".repeat(401));
        plant("guards/exceptions.txt", "length 401 " + MAIN + ": a table\n");
        said(0, "");

        plant(MAIN, "// line\n");
        said(1, "guards/exceptions.txt:1: nothing needs this exception any more");
    }

    private void plant(String path, String text) {
        new Planted(root).with(path, text);
    }

    private void said(int count, String start) {
        var findings = HouseWords.check(SourceTree.of(root));
        assertEquals(count, findings.size(), findings.toString());
        assertTrue(
                count == 0
                        || findings.stream()
                                .anyMatch(finding -> finding.toString().startsWith(start)),
                findings.toString());
    }
}

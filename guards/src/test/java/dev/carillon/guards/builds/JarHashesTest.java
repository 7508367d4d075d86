package dev.carillon.guards.builds;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.carillon.guards.tree.Finding;
import dev.carillon.guards.tree.Guard;
import dev.carillon.guards.tree.Planted;
import dev.carillon.guards.tree.SourceTree;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class JarHashesTest {
    /** SHA-256 of the text "jar". */
    private static final String HASH = "0163f1eea7894350060624d315234d40c508ab251ba121714e234503045faadd";

    private static final String JAR = "org/example/bell/1.0/bell-1.0-linux.jar";

    @TempDir
    Path root;

    @Test
    void everyJarIsTheOneThatWasReviewed() {
        var hashes = new JarHashes(SourceTree.real(), repository());
        hashes.skipped().ifPresent(cause -> assumeTrue(false, cause));
        Guard.passes("Every jar is the one that was reviewed", hashes.check(Guard.updates()));
    }

    /** Surefire names the repository that the build uses. */
    private static Path repository() {
        var named = System.getProperty("localRepository", "");
        return named.isEmpty() ? Path.of(System.getProperty("user.home"), ".m2/repository") : Path.of(named);
    }

    @Test
    void anUnknownJarIsReportedAndListedOnDemand() throws IOException {
        plant("");
        said(1, "gradle/jars.sha256: org.example:bell:1.0:linux: this jar is not listed; it is " + HASH);

        assertEquals(List.of(), check(true));
        assertEquals(HASH + "  org.example:bell:1.0:linux\n", Files.readString(root.resolve("gradle/jars.sha256")));
        said(0, "");
    }

    @Test
    void aJarThatChangedIsReported() {
        plant("0000  org.example:bell:1.0:linux\n");

        said(1, "gradle/jars.sha256:1: org.example:bell:1.0:linux: the jar is " + HASH + ", the list says 0000");
    }

    @Test
    void aJarThatNobodyUsesIsReported() {
        plant(HASH + "  org.example:bell:1.0:linux\n" + HASH + "  org.example:gone:1.0\n");

        said(1, "gradle/jars.sha256:2: org.example:gone:1.0: listed, but no module uses it any more");
    }

    @Test
    void gradleMustNameTheSameHashes() {
        plant(HASH + "  org.example:bell:1.0:linux\n").with("gradle/verification-metadata.xml", metadata("0000"));
        said(
                1,
                "gradle/verification-metadata.xml: org.example:bell:1.0/bell-1.0-linux.jar is [0000] there, and "
                        + HASH);

        plant(HASH + "  org.example:bell:1.0:linux\n")
                .with("gradle/verification-metadata.xml", metadata(HASH).replace("bell-1.0-linux", "bell-1.0"));
        said(1, "gradle/verification-metadata.xml: does not name org.example:bell:1.0/bell-1.0-linux.jar");

        plant(HASH + "  org.example:bell:1.0:linux\n").with("gradle/verification-metadata.xml", metadata(HASH));
        said(0, "");
    }

    @Test
    void withoutMavensFilesThereIsNothingToCompareAndACause() {
        new Planted(root).with("pom.xml", "<project><modules><module>a</module></modules></project>");

        var hashes = new JarHashes(SourceTree.of(root), root);
        assertTrue(hashes.skipped().orElse("").startsWith("no module has a target/test-classpath.txt"));
    }

    private static String metadata(String hash) {
        return """
                <verification-metadata><components>
                  <component group="org.example" name="bell" version="1.0">
                    <artifact name="bell-1.0-linux.jar"><sha256 value="%s"/></artifact>
                  </component>
                </components></verification-metadata>
                """.formatted(hash);
    }

    private Planted plant(String list) {
        return new Planted(root)
                .with(".gitignore", "target/\nrepository/\n")
                .with("pom.xml", "<project><modules><module>a</module></modules></project>")
                .with("repository/" + JAR, "jar")
                .with("a/target/test-classpath.txt", root.resolve("repository").resolve(JAR) + "\n")
                .with("gradle/jars.sha256", list);
    }

    private List<Finding> check(boolean update) {
        return new JarHashes(SourceTree.of(root), root.resolve("repository")).check(update);
    }

    private void said(int count, String start) {
        var findings = check(false);
        assertEquals(count, findings.size(), findings.toString());
        assertTrue(count == 0 || findings.get(0).toString().startsWith(start), findings.toString());
    }
}

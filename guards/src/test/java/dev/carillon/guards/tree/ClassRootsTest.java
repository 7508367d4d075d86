package dev.carillon.guards.tree;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ClassRootsTest {
    @TempDir
    Path root;

    @Test
    void theClassPathSaysWhichBuildRuns() {
        var tree = new Planted(root)
                .with("pom.xml", "<project><modules><module>core</module><module>empty</module></modules></project>")
                .with("core/target/classes/A.class", "")
                .with("core/build/classes/java/main/A.class", "")
                .with("core/build/classes/kotlin/main/B.class", "")
                .tree();
        var maven = Map.of("core", List.of(root.resolve("core/target/classes")));
        var gradle = Map.of(
                "core",
                List.of(root.resolve("core/build/classes/java/main"), root.resolve("core/build/classes/kotlin/main")));

        assertEquals(maven, ClassRoots.of(tree, root.resolve("core/target/core.jar") + ":/elsewhere/build/libs/x.jar"));
        assertEquals(gradle, ClassRoots.of(tree, "/elsewhere/x.jar:" + root.resolve("core/build/libs/core.jar")));
        assertEquals(maven, ClassRoots.of(tree, ""));
    }
}

package dev.carillon.guards.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.guards.tree.Compiled;
import dev.carillon.guards.tree.Finding;
import dev.carillon.guards.tree.Guard;
import dev.carillon.guards.tree.Planted;
import dev.carillon.guards.tree.SourceTree;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class PublicApiTest {
    private static final String MAIN = "runtime-java/src/main/java/";
    private static final String BOX = """
            package dev.carillon.box;

            import java.util.*;
            import org.jspecify.annotations.Nullable;

            public final class Box<T extends Comparable<T>> implements Iterable<T> {
                public static final int SIZE = 4;
                Box() {}
                public @Nullable T first() { return null; }
                public <E extends Exception> Map<String, @Nullable T> all(List<? super T> in, String... names) throws E {
                    return Map.of();
                }
                @Override public Iterator<T> iterator() { return List.<T>of().iterator(); }
                protected void unseenInAFinalClass() {}
                @Deprecated public void old(byte @Nullable [] bytes) {}
                public record Lid(int width) {}
                static class Hidden { public void unseen() {} }
            }
            """;

    @TempDir
    Path root;

    @Test
    void thePublicApiIsTheReviewedOne() {
        var files = new ApiFiles(SourceTree.real(), System.getProperty("java.class.path"));
        Guard.passes(
                "Publicity costs a reviewed line", files.check(PublicApiTest.class.getClassLoader(), Guard.updates()));
    }

    @Test
    void aDumpShowsWhatUsersCanName() throws IOException {
        plant().with(MAIN + "dev/carillon/box/Box.java", BOX);
        compile();
        assertEquals(List.of(), check(true));

        assertEquals("""
                public final class dev.carillon.box.Box<T extends java.lang.Comparable<T>> implements java.lang.Iterable<T>
                    @Deprecated public void old(byte @Nullable [])
                    public <E extends java.lang.Exception> java.util.Map<java.lang.String, @Nullable T> all(java.util.List<? super T>, java.lang.String...) throws E
                    public @Nullable T first()
                    public java.util.Iterator<T> iterator()
                    public static final int SIZE

                public record dev.carillon.box.Box.Lid
                    public Lid(int)
                    public int width()
                """, Files.readString(root.resolve("api/carillon-runtime.api")));
        assertEquals(List.of(), check(false));
    }

    @Test
    void aNewAndAMissingNameAreReportedWithTheCommandThatAcceptsThem() throws IOException {
        plant().with(
                        MAIN + "dev/carillon/box/Lid.java",
                        "package dev.carillon.box; public interface Lid { void open(); }")
                .with("api/carillon-runtime.api", "public interface dev.carillon.box.Lid\n    public void shut()\n");
        compile();

        var text = check(false).toString();
        assertTrue(text.contains("api/carillon-runtime.api:2: the public API is another"), text);
        assertTrue(text.contains("- dev.carillon.box.Lid: public void shut()"), text);
        assertTrue(text.contains("+ dev.carillon.box.Lid: public void open()"), text);
        assertTrue(text.contains("-Dtest=PublicApiTest"), text);
    }

    @Test
    void aPackageExportedToFriendsIsNoApi() throws IOException {
        plant().with(MAIN + "dev/carillon/box/Lid.java", "package dev.carillon.box; public interface Lid {}")
                .with(MAIN + "module-info.java", "module dev.box { exports dev.carillon.box to dev.friend; }");
        compile();

        assertEquals(List.of(), check(false));
    }

    @Test
    void aFileOfNoArtifactIsReported() throws IOException {
        plant().with("api/carillon-gone.api", "public class Gone\n");

        assertEquals("api/carillon-gone.api:1", check(false).get(0).where());
    }

    @Test
    void kotlinInternalNamesAreFoundInTheSources() {
        new Planted(root).with("coroutines-kt/src/main/kotlin/Scope.kt", """
                package dev.carillon.guards.api

                internal fun helper() {}

                public fun open() {}

                internal class PublicApiTest {}
                """);
        var internal = KotlinInternal.of(SourceTree.of(root), "coroutines-kt");

        assertTrue(internal.hides(PublicApiTest.class));
        assertFalse(internal.hides(PublicApi.class));
        assertTrue(internal.hides(ScopeKt.class, "helper"));
        assertFalse(internal.hides(ScopeKt.class, "open"));
        assertTrue(internal.hides(ScopeKt.class, "member$carillon_coroutines"));
    }

    private Planted plant() {
        return new Planted(root)
                .with(".gitignore", "target/\n")
                .with("pom.xml", "<project><modules><module>runtime-java</module></modules></project>")
                .with("runtime-java/pom.xml", "<project><artifactId>carillon-runtime</artifactId></project>");
    }

    private void compile() {
        Compiled.modules(SourceTree.of(root), "runtime-java");
    }

    private List<Finding> check(boolean update) throws IOException {
        var classes = root.resolve("runtime-java/target/classes").toUri().toURL();
        try (var loader = new URLClassLoader(new URL[] {classes}, PublicApiTest.class.getClassLoader())) {
            return new ApiFiles(SourceTree.of(root), "").check(loader, update);
        }
    }
}

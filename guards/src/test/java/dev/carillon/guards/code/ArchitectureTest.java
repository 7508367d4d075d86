package dev.carillon.guards.code;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.guards.tree.ClassRoots;
import dev.carillon.guards.tree.Compiled;
import dev.carillon.guards.tree.Finding;
import dev.carillon.guards.tree.Guard;
import dev.carillon.guards.tree.Planted;
import dev.carillon.guards.tree.SourceTree;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ArchitectureTest {
    private static final String POM =
            "<project><modules><module>runtime-java</module><module>shm-ipc</module><module>samples</module></modules></project>";

    @TempDir
    Path root;

    @Test
    void everyPackageCallsOnlyWhatItsRowNames() {
        var tree = SourceTree.real();
        Guard.passes("Each package calls only what its row in the table names", check(tree));
    }

    @Test
    void theDocumentShowsTheTableThatIsEnforced() {
        Guard.passes("People and tests read the same table of rooms", RoomsDocument.check(SourceTree.real()));
    }

    @Test
    void aTableThatSaysSomethingElseIsReported() {
        var tree = new Planted(root).with("docs/architecture.md", """
                | `dev.carillon.futex` | a word | sys, signal | none |
                | `dev.carillon.test` | the kit | all that is exported | none |
                | `dev.carillon.attic` | boxes | none | none |
                """).tree();
        var findings = RoomsDocument.check(tree).stream().map(Finding::toString).toList();

        assertTrue(
                findings.get(0)
                        .startsWith("docs/architecture.md:1: dev.carillon.futex may call [dev.carillon.signal, "
                                + "dev.carillon.sys] here, and [dev.carillon.memory, dev.carillon.sys, "
                                + "dev.carillon.sys.call] in"),
                findings.toString());
        assertTrue(findings.get(1).startsWith("docs/architecture.md:3: no room is called dev.carillon.attic"));
        assertTrue(findings.get(2).startsWith("docs/architecture.md:1: the table has no row for dev.carillon"));
    }

    @Test
    void theArrowsOfTheTableGoOneWay() {
        var table = new Graph();
        Rooms.all().forEach(room -> room.calls().forEach(other -> table.edge(room.name(), other)));

        assertEquals(List.of(), table.knots(), "rows of Rooms.java that allow each other");
    }

    @Test
    void aRowNamesOnlyRowsOfTheTable() {
        var names = Rooms.all().stream().map(Rooms.Room::name).toList();

        Rooms.all().forEach(room -> assertTrue(names.containsAll(room.calls()), room::toString));
    }

    // r[verify life.deps]
    @Test
    void theLifecycleMayTouchNoConfigurationYamlHttpOrJson() {
        var lifecycle = Rooms.room("dev.carillon.lifecycle").orElseThrow();
        var others = List.of(
                "com.sun.net.httpserver.HttpServer",
                "java.net.http.HttpClient",
                "com.fasterxml.jackson.databind.JsonNode",
                "org.yaml.snakeyaml.Yaml",
                "com.typesafe.config.Config",
                "org.slf4j.Logger");

        others.forEach(other -> assertFalse(lifecycle.mayTouch(other), other));
        Rooms.all().stream()
                .filter(room -> !room.module().equals("runtime-java"))
                .forEach(room -> assertFalse(lifecycle.mayCall(room), room::toString));
    }

    @Test
    void aRoomThatLooksUpIsReported() {
        var findings = check(runtime(
                        "loop/Loop",
                        "package dev.carillon.loop;\n\nimport dev.carillon.signal.Signals;\n\n"
                                + "public class Loop { Signals up; }")
                .with(
                        "runtime-java/src/main/java/dev/carillon/signal/Signals.java",
                        "package dev.carillon.signal; public class Signals {}"));

        said(
                findings,
                "runtime-java/src/main/java/dev/carillon/loop/Loop.java:3: Loop calls dev.carillon.signal.Signals, "
                        + "but dev.carillon.loop may not call dev.carillon.signal");
    }

    @Test
    void aForeignPackageOutsideItsRoomIsReported() {
        var findings = check(runtime("memory/Bytes", """
                package dev.carillon.memory;
                class Bytes {
                  java.util.logging.Logger log;
                }\
                """));

        said(
                findings,
                "runtime-java/src/main/java/dev/carillon/memory/Bytes.java:3: Bytes uses java.util.logging.Logger, "
                        + "which dev.carillon.memory may not touch");
    }

    @Test
    void aForeignClassReachedByItsNameIsReported() {
        var findings = check(runtime("loop/Sneak", """
                package dev.carillon.loop;
                class Sneak {
                  String linker = "java.lang.foreign.Linker";
                  String said = "java.lang.foreign is missing";
                }\
                """));

        said(
                findings,
                "runtime-java/src/main/java/dev/carillon/loop/Sneak.java:3: the string \"java.lang.foreign.Linker\" "
                        + "names what dev.carillon.loop may not touch");
    }

    @Test
    void theFloorKeepsNoThreads() {
        var findings = check(runtime("sys/Pool", """
                package dev.carillon.sys;
                class Pool {
                  Object pool = java.util.concurrent.Executors.newCachedThreadPool();
                }\
                """));

        said(
                findings,
                "runtime-java/src/main/java/dev/carillon/sys/Pool.java:3: Pool uses java.util.concurrent.Executors, "
                        + "which dev.carillon.sys may not touch");
    }

    @Test
    void aFileInTheFolderOfAnotherPackageIsReported() {
        var findings = check(runtime("memory/Bytes", "package dev.carillon.sys;\nclass Bytes {}"));

        said(
                findings,
                "runtime-java/src/main/java/dev/carillon/memory/Bytes.java:1: it lies in the folder of another package "
                        + "than dev.carillon.sys");
    }

    @Test
    void aPackageThatNoRowKnowsIsReported() {
        var findings = check(runtime("attic/Box", "package dev.carillon.attic;\nclass Box {}"));

        said(
                findings,
                "runtime-java/src/main/java/dev/carillon/attic/Box.java:1: no room is called dev.carillon.attic");
    }

    @Test
    void aRoomInTheWrongModuleIsReported() {
        var findings = check(runtime("shm/ring/Ring", "package dev.carillon.shm.ring;\nclass Ring {}"));

        said(
                findings,
                "runtime-java/src/main/java/dev/carillon/shm/ring/Ring.java:1: dev.carillon.shm.ring has classes in "
                        + "runtime-java but lives in shm-ipc");
    }

    @Test
    void aFloorOpenToEveryoneIsReported() {
        var findings = check(runtime("sys/Fd", "package dev.carillon.sys;\npublic class Fd {}")
                .with(
                        "runtime-java/src/main/java/module-info.java",
                        "module dev.carillon.runtime {\n    exports dev.carillon.sys;\n}"));

        said(findings, "runtime-java/src/main/java/module-info.java:2: dev.carillon.sys is exported to everyone");
    }

    @Test
    void aClosedPackageUsedFromTheClassPathIsReported() {
        var tree = runtime("loop/Loop", "package dev.carillon.loop;\npublic class Loop {}")
                .with("runtime-java/src/main/java/module-info.java", "module dev.carillon.runtime {}")
                .with(
                        "samples/src/main/java/dev/carillon/samples/S.java",
                        "package dev.carillon.samples;\nclass S { dev.carillon.loop.Loop loop; }")
                .tree();
        Compiled.modules(tree, "runtime-java", "samples");

        said(
                check(tree),
                "samples/src/main/java/dev/carillon/samples/S.java:2: S calls dev.carillon.loop.Loop, but "
                        + "dev.carillon.loop is not exported");
    }

    @Test
    void sourcesWithoutClassesAreReported() {
        var tree = runtime("loop/Loop", "package dev.carillon.loop;\npublic class Loop {}")
                .tree();

        said(
                check(tree),
                "runtime-java/src/main/java/dev/carillon/loop/Loop.java:1: no compiled classes of runtime-java");
    }

    @Test
    void aClassOfOursThatIsLookedUpByANameItNoLongerHasIsReported() {
        var findings = check(runtime("sys/Choice", """
                package dev.carillon.sys;
                class Choice {
                  String here = "dev.carillon.sys.Choice";
                  String gone = "dev.carillon.sys.Gone";
                }\
                """));

        said(
                findings,
                "runtime-java/src/main/java/dev/carillon/sys/Choice.java:4: the string \"dev.carillon.sys.Gone\" names no "
                        + "class of ours");
    }

    @Test
    void aClassLookedUpByItsNameNeedsARowThatAllowsIt() {
        var findings = check(runtime("sys/Choice", """
                package dev.carillon.sys;
                class Choice {
                  String up = "dev.carillon.memory.Bytes";
                }\
                """)
                .with(
                        "runtime-java/src/main/java/dev/carillon/memory/Bytes.java",
                        "package dev.carillon.memory; class Bytes {}"));

        said(
                findings,
                "runtime-java/src/main/java/dev/carillon/sys/Choice.java:3: the string \"dev.carillon.memory.Bytes\" "
                        + "names what dev.carillon.sys may not call");
    }

    @Test
    void aClosedPackageThatIsExportedIsReported() {
        var findings = check(runtime("loop/queue/Queue", "package dev.carillon.loop.queue;\npublic class Queue {}")
                .with(
                        "runtime-java/src/main/java/module-info.java",
                        "module dev.carillon.runtime {\n    exports dev.carillon.loop.queue;\n}"));

        said(
                findings,
                "runtime-java/src/main/java/module-info.java:2: dev.carillon.loop.queue is exported to everyone");
    }

    @Test
    void aPublishedPackageHasARowOfItsOwnAndTheOthersShareOne() {
        assertEquals("dev.carillon.sys.layout", room("dev.carillon.sys.layout"));
        assertEquals("dev.carillon", room("dev.carillon"));
        assertEquals("dev.carillon.benchmarks", room("dev.carillon.benchmarks.echo"));
        assertEquals("none", room("dev.carillon.sys.other"));
        assertEquals("none", room("dev.carillon.other"));
        assertEquals("none", room("dev.carillonade"));
    }

    private static String room(String packageName) {
        return Rooms.of(packageName).map(Rooms.Room::name).orElse("none");
    }

    private Planted runtime(String name, String source) {
        return new Planted(root)
                .with("pom.xml", POM)
                .with(".gitignore", "target/\n")
                .with("runtime-java/src/main/java/dev/carillon/" + name + ".java", source);
    }

    private static List<Finding> check(Planted planted) {
        Compiled.modules(planted.tree(), "runtime-java");
        return check(planted.tree());
    }

    private static List<Finding> check(SourceTree tree) {
        return Architecture.check(tree, ClassRoots.of(tree, System.getProperty("java.class.path")));
    }

    private static void said(List<Finding> findings, String start) {
        assertEquals(1, findings.size(), findings.toString());
        assertTrue(findings.get(0).toString().startsWith(start), findings.toString());
    }
}

package dev.carillon.guards.code;

import static org.junit.jupiter.api.Assertions.assertEquals;
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

final class KnotTest {
    private static final String MAIN = "runtime-java/src/main/java/dev/carillon/";

    @TempDir
    Path root;

    @Test
    void noPackagesNeedEachOtherAndNoKnotGrows() {
        Guard.passes("Packages have no cycle, and knots of classes never grow", check(SourceTree.real()));
    }

    @Test
    void packagesThatNeedEachOtherAreReportedWithTheCallsToCut() {
        plant("loop", "Loop", "public class Loop { dev.carillon.signal.Signals up; }");
        plant("loop", "Timers", "class Timers { dev.carillon.signal.Signals up; }");
        plant("signal", "Signals", "public class Signals { dev.carillon.process.Child child; }");
        plant("process", "Child", "public class Child { dev.carillon.loop.Loop loop; }");

        said("dev.carillon.process: these packages need each other: dev.carillon.loop, dev.carillon.process, "
                + "dev.carillon.signal\n      -> cut dev.carillon.process -> dev.carillon.loop, which is Child -> "
                + "Loop: move the class");
    }

    @Test
    void aKnotIsReportedWithItsClassesAndTheEdgeThatUntiesIt() {
        ring("Four", "Ring", "Sleep", "Wake");

        said(
                "dev.carillon.loop: 4 classes all need each other, 3 are allowed: Four Ring Sleep Wake\n      -> cut Four -> "
                        + "Ring (leaves 1), or hand the parts of Four narrow types, so that none knows it (leaves 1), or, if it "
                        + "has to be, put this line into guards/exceptions.txt with your reason:  knot 4 dev.carillon.loop: WHY");
    }

    @Test
    void whatAllPartsKnowIsNamed() {
        plant("loop", "Whole", "class Whole { A a; B b; C c; D d; }");
        for (var part : List.of("A", "B", "C", "D")) {
            plant("loop", part, "class " + part + " { Whole whole; }");
        }

        said("dev.carillon.loop: 5 classes all need each other, 3 are allowed: A B C D Whole\n      -> cut Whole -> A, "
                + "Whole -> B (leaves 3), or hand the parts of Whole narrow types, so that none knows it (leaves 1)");
    }

    @Test
    void nestedClassesCountAsPartOfTheirOuterOne() {
        plant(
                "loop",
                "Outer",
                "class Outer { A a; static class A { B b; } static class B { A a; Runnable c = () -> {}; } }");
        plant(
                "loop",
                "Other",
                "class Other { Outer.A a; Runnable r = new Runnable() { public void run() { new Outer(); } }; }");

        assertEquals(List.of(), findings());
    }

    @Test
    void aSmallKnotIsFineAndAReviewedOneIsToo() {
        ring("Two", "One");
        assertEquals(List.of(), findings());

        ring("One", "Two", "Three", "Four");
        reviewed("knot 4 dev.carillon.loop: they are one state machine");
        assertEquals(List.of(), findings());
    }

    @Test
    void aReviewedNumberThatIsTooHighIsReported() {
        ring("One", "Two", "Three", "Four");
        reviewed("knot 6 dev.carillon.loop: they were more");

        said("dev.carillon.loop: its largest knot has 4 classes and its line allows 6\n      -> lower the number in "
                + "guards/exceptions.txt, so that it never grows back:  knot 4 dev.carillon.loop: WHY");
    }

    @Test
    void aKnotLargerThanReviewedIsReported() {
        ring("One", "Two", "Three", "Four", "Five");
        reviewed("knot 4 dev.carillon.loop: they are one state machine");

        said("dev.carillon.loop: 5 classes all need each other, 4 are allowed");
    }

    @Test
    void noReviewAllowsAKnotOfMoreThanEight() {
        ring("A", "B", "C", "D", "E", "F", "G", "H", "I");
        reviewed("knot 9 dev.carillon.loop: they are one state machine");

        said("dev.carillon.loop: 9 classes all need each other, 8 are allowed: A B C D E F G H I\n      -> cut A -> B "
                + "(leaves 1), or hand the parts of A narrow types, so that none knows it (leaves 1); no review allows "
                + "more than 8");
    }

    @Test
    void aLineThatNothingNeedsIsReported() {
        ring("One", "Two");
        reviewed("knot 4 dev.carillon.loop: they were more");

        said("guards/exceptions.txt:1: nothing needs this exception any more");
    }

    private void ring(String... names) {
        for (int i = 0; i < names.length; i++) {
            plant("loop", names[i], "class " + names[i] + " { " + names[(i + 1) % names.length] + " next; }");
        }
    }

    private void plant(String room, String name, String source) {
        new Planted(root)
                .with("pom.xml", "<project><modules><module>runtime-java</module></modules></project>")
                .with(".gitignore", "target/\n")
                .with(MAIN + room + "/" + name + ".java", "package dev.carillon." + room + ";\n" + source);
    }

    private void reviewed(String line) {
        new Planted(root).with("guards/exceptions.txt", line + "\n");
    }

    private List<Finding> findings() {
        Compiled.modules(SourceTree.of(root), "runtime-java");
        return check(SourceTree.of(root));
    }

    private static List<Finding> check(SourceTree tree) {
        return Knots.check(tree, ClassRoots.of(tree, System.getProperty("java.class.path")));
    }

    private void said(String start) {
        var findings = findings();
        assertEquals(1, findings.size(), findings.toString());
        assertTrue(findings.get(0).toString().startsWith(start), findings.toString());
    }
}

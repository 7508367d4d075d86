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

final class WalksTest {
    private static final int WALKS = 5;

    @TempDir
    Path root;

    @BeforeEach
    void plantAWay() {
        new Planted(root)
                .with("runtime-java/src/main/java/Loop.java", """
                        final class Loop {
                            void post(Runnable task) { new Queue().offer(task); return; }
                            <T> java.util.List<T>[] all() { return other(); }
                        }
                        """)
                .with("coroutines-kt/src/main/kotlin/Sleep.kt", """
                        suspend fun delay(nanos: Long) = sleep(nanos)
                        private inline fun <T> EventLoop.sleep(nanos: Long): T = wake(nanos)
                        """)
                .with("samples/src/main/java/Sample.java", "class Sample { void run() {} }");
    }

    @Test
    void everyStepOfEveryWalkIsThere() {
        assertEquals(
                WALKS,
                Walks.count(SourceTree.real()),
                "walks in docs/architecture.md: signal, read, delay, post, spawn");
        Guard.passes("The walks through the code are as they are drawn", Walks.check(SourceTree.real()));
    }

    @Test
    void stepsThatAreThereAreFine() {
        said(0, "| delay | 2 | `Sleep.delay`, `Sleep.sleep`; later: `Loop.post`, `Loop.all` |", "");
    }

    @Test
    void aMethodThatIsOnlyCalledIsReported() {
        said(1, "| post | 0 | `Loop.offer` |", "post: no published source declares Loop.offer");
        said(1, "| post | 0 | `Loop.other` |", "post: no published source declares Loop.other");
        said(1, "| delay | 0 | `Sleep.wake` |", "delay: no published source declares Sleep.wake");
    }

    @Test
    void aClassThatIsGoneOrNotPublishedIsReported() {
        said(1, "| post | 0 | `Gone.post` |", "post: no published source declares Gone.post");
        said(1, "| post | 0 | `Sample.run` |", "post: no published source declares Sample.run");
        said(1, "| post | 0 | `Loop` |", "post: no published source declares Loop");
    }

    @Test
    void aNumberOfFilesThatIsNotTrueIsReported() {
        said(1, "| post | 2 | `Loop.post`, `Loop.all` |", "post: the walk passes 1 files and its row says 2");
    }

    private void said(int count, String row, String start) {
        new Planted(root).with("docs/architecture.md", "## Other\n\n| a | 1 | `B.c` |\n\n## Walks\n\n" + row + "\n");
        var findings = Walks.check(SourceTree.of(root));
        assertEquals(count, findings.size(), findings.toString());
        assertTrue(
                count == 0 || findings.get(0).toString().startsWith("docs/architecture.md:7: " + start),
                findings.toString());
    }
}

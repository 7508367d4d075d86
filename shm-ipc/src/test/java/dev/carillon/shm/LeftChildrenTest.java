package dev.carillon.shm;

import static dev.carillon.shm.LinkPair.LIMIT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.loop.EventLoop;
import dev.carillon.process.Child;
import dev.carillon.process.Spawn;
import dev.carillon.process.Stdio;
import dev.carillon.test.Deadline;
import dev.carillon.test.Futures;
import java.util.ServiceLoader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.Extension;

final class LeftChildrenTest {
    @Test
    void whatAFailedTestHasLeftIsEnded() throws Exception {
        try (EventLoop loop = EventLoop.open().start();
                Child child = Spawn.command("sh", "-c", "sleep 300 & echo; wait")
                        .stdout(Stdio.pipe())
                        .start(loop)) {
            ProcessHandle shell = ProcessHandle.of(child.pid()).orElseThrow();
            Deadline.after(LIMIT)
                    .await("it has a child", () -> shell.children().findAny().isPresent());
            ProcessHandle heir = shell.children().findAny().orElseThrow();
            assertTrue(LeftChildren.end().contains((long) child.pid()));
            assertEquals(137, Futures.get(child.exit()).code());
            Deadline.after(LIMIT).await("the child's child has ended", () -> !heir.isAlive());
        }
    }

    @Test
    void eachTestOfThisModuleHasIt() {
        assertTrue(ServiceLoader.load(Extension.class).stream().anyMatch(each -> each.type() == LeftChildren.class));
    }
}

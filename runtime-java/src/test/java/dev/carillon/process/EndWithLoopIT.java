package dev.carillon.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.Signal;
import dev.carillon.loop.EventLoop;
import dev.carillon.test.ChildExit;
import dev.carillon.test.ChildJvm;
import dev.carillon.test.ChildProcess;
import dev.carillon.test.Deadline;
import dev.carillon.test.Futures;
import dev.carillon.test.LeakExempt;
import dev.carillon.test.LeakKind;
import dev.carillon.test.proc.Children;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Children that end with their loop, or with the VM. */
@LeakExempt(
        kinds = {LeakKind.THREAD, LeakKind.DESCRIPTOR},
        why = "the shared loop, which takes over, lives as long as the VM")
final class EndWithLoopIT {
    // r[verify process.with-loop]
    @Test
    void aChildEndsWithItsLoopAndSoDoesItsGroup() {
        EventLoop loop = EventLoop.open().start();
        Duration grace = Duration.ofMillis(50);
        Child plain =
                Spawn.command("sleep", "100").endWithLoop(Duration.ofHours(1)).start(loop);
        Child deaf =
                GroupIT.start(GroupIT.shell(GroupIT.WITH_DEAF_CHILD).ownGroup().endWithLoop(grace), loop);
        Child other = Spawn.command("sleep", "100").start(loop);
        long pidOfDeaf = deafChildOf(deaf);
        loop.close();
        assertEquals(Signal.SIGTERM, Running.exitOf(plain).signal());
        assertEquals(Signal.SIGTERM, Running.exitOf(deaf).signal());
        Deadline.after(Running.LIMIT).await("the deaf one has ended", () -> Children.hasEnded(pidOfDeaf));
        assertTrue(other.isAlive(), "nobody asked for its end");
        other.kill();
        Running.exitOf(other);
    }

    private static long deafChildOf(Child leader) {
        return ProcessHandle.of(leader.pid())
                .orElseThrow()
                .children()
                .findAny()
                .orElseThrow()
                .pid();
    }

    // r[verify process.with-loop]
    @Test
    void aChildThatHasEndedIsLeftAlone() {
        EventLoop loop = EventLoop.open().start();
        Child child = GroupIT.shell("exit 3").endWithLoop(Duration.ZERO).start(loop);
        assertEquals(3, Running.exitOf(child).code());
        loop.close();
        assertEquals(3, Running.exitOf(child).code());
    }

    // r[verify process.with-loop]
    @ParameterizedTest
    @ValueSource(strings = {"main", "own loop", "shared loop"})
    void aVmThatExitsAsksItsChildrenToEnd(String caller) {
        try (ChildProcess vm = ChildJvm.of(Exits.class).args(caller).start()) {
            long pid = Long.parseLong(vm.awaitLine("pid ", Running.LIMIT).substring(4));
            ChildExit exit = vm.awaitExit(Running.LIMIT);
            assertEquals(5, exit.code(), exit::toString);
            Deadline.after(Running.LIMIT).await("the child has ended", () -> Children.hasEnded(pid));
        }
    }

    /** Calls exit with a child that would go on. */
    static final class Exits {
        private Exits() {}

        public static void main(String[] args) {
            EventLoop own = EventLoop.open().start();
            EventLoop on = args[0].equals("shared loop") ? EventLoop.shared() : own;
            Child child = Spawn.command("sleep", "1000")
                    .ownSession()
                    .stdout(Stdio.nothing())
                    .stderr(Stdio.nothing())
                    .endWithLoop(Duration.ofHours(1))
                    .start(on);
            // The exit stops loops that run; one that has not begun is not among them.
            Futures.get(CompletableFuture.runAsync(() -> {}, on));
            System.out.println("pid " + child.pid());
            if (args[0].equals("main")) {
                System.exit(5);
            }
            on.execute(() -> System.exit(5));
        }
    }
}

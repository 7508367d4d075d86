package dev.carillon.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.Signal;
import dev.carillon.loop.EventLoop;
import dev.carillon.loop.ExitHold;
import dev.carillon.test.ChildExit;
import dev.carillon.test.ChildJvm;
import dev.carillon.test.ChildProcess;
import dev.carillon.test.Deadline;
import dev.carillon.test.LeakExempt;
import dev.carillon.test.LeakKind;
import dev.carillon.test.proc.Children;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

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
    @EnumSource(Caller.class)
    void aVmThatExitsAsksItsChildrenToEnd(Caller caller) {
        try (ChildProcess vm = ChildJvm.of(Exits.class).args(caller.toString()).start()) {
            String[] pids = vm.awaitLine("pids ", Running.LIMIT).substring(5).split(" ", -1);
            if (caller == Caller.SIGTERM) {
                vm.send("TERM");
            }
            ChildExit exit = vm.awaitExit(Running.LIMIT);
            assertEquals(caller == Caller.SIGTERM ? 143 : 5, exit.code(), exit::toString);
            for (String pid : pids) {
                Deadline.after(Running.LIMIT)
                        .await("child " + pid + " has ended", () -> Children.hasEnded(Long.parseLong(pid)));
            }
        }
    }

    /** What has the VM exit, and what its loops do meanwhile. */
    private enum Caller {
        MAIN,
        OWN_LOOP,
        SHARED_LOOP,
        MAIN_WITH_LOOPS_THAT_NOBODY_RUNS,
        MAIN_BETWEEN_TWO_RUNS,
        MAIN_WITH_COLLECTIONS,
        A_HOOK_WITH_A_HOLD,
        SIGTERM;

        boolean startsLoops() {
            return this != MAIN_WITH_LOOPS_THAT_NOBODY_RUNS
                    && this != MAIN_BETWEEN_TWO_RUNS
                    && this != MAIN_WITH_COLLECTIONS;
        }
    }

    /** Calls exit with children that would go on. */
    static final class Exits {
        private static final int LOOPS = 10;
        private static final Duration GRACE = Duration.ofHours(1);

        private Exits() {}

        public static void main(String[] args) {
            Caller caller = Caller.valueOf(args[0]);
            List<EventLoop> loops =
                    Stream.generate(() -> loop(caller)).limit(LOOPS).toList();
            List<Child> children = new ArrayList<>();
            loops.forEach(loop -> children.add(child(caller, loop)));
            if (caller == Caller.MAIN_BETWEEN_TWO_RUNS) {
                loops.forEach(EventLoop::runUntilEmpty);
            }
            if (caller == Caller.A_HOOK_WITH_A_HOLD) {
                ExitHold hold = EventLoop.holdExit(Running.LIMIT);
                Runtime.getRuntime().addShutdownHook(new Thread(() -> {
                    children.add(child(caller, loops.get(0)));
                    tell(children);
                    hold.close();
                }));
            } else {
                tell(children);
            }
            switch (caller) {
                case OWN_LOOP, SHARED_LOOP -> {
                    loops.get(0).execute(() -> System.exit(5));
                    stay();
                }
                case SIGTERM -> stay();
                default -> System.exit(5);
            }
        }

        /** The thread of the shared loop keeps no VM from its end. */
        private static void stay() {
            while (true) {
                LockSupport.park();
            }
        }

        private static void tell(List<Child> children) {
            System.out.println(
                    children.stream().map(child -> "" + child.pid()).collect(Collectors.joining(" ", "pids ", "")));
        }

        private static EventLoop loop(Caller caller) {
            if (caller == Caller.SHARED_LOOP) {
                return EventLoop.shared();
            }
            EventLoop loop = EventLoop.open();
            return caller.startsLoops() ? loop.start() : loop;
        }

        private static Child child(Caller caller, EventLoop loop) {
            Spawn.Builder command = Spawn.command("sleep", "1000").stderr(Stdio.nothing());
            return caller == Caller.MAIN_WITH_COLLECTIONS
                    ? command.collect(loop).child()
                    : command.ownSession()
                            .stdout(Stdio.nothing())
                            .endWithLoop(GRACE)
                            .start(loop);
        }
    }
}

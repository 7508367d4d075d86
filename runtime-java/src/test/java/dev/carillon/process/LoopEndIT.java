package dev.carillon.process;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.carillon.ExitStatus;
import dev.carillon.Signal;
import dev.carillon.loop.EventLoop;
import dev.carillon.test.ChildExit;
import dev.carillon.test.ChildJvm;
import dev.carillon.test.Deadline;
import dev.carillon.test.Futures;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Children that go on when the last loop has ended, or sits in the call that ends the VM. */
final class LoopEndIT {
    private static final String ENDED = "alive, sent, terminated by SIGTERM, asked early: true, not alive, not sent";

    // r[verify process.loop-end]
    @ParameterizedTest
    @CsvSource({
        "main, openat2",
        "main, pidfd_open",
        "own loop, openat2",
        "own loop, pidfd_open",
        "shared loop, openat2",
        "shared loop, pidfd_open"
    })
    void aShutdownHookBehindOursSeesAndEndsChildrenWhoeverCalledExit(String caller, String without) {
        ChildExit exit =
                exitOf(ChildJvm.of(EndsChildrenLate.class).args(caller).vmFlags("-Dcarillon.without=" + without));
        assertEquals(List.of("shared loop: " + ENDED, "own loop: " + ENDED), exit.stdout(), exit::toString);
        assertEquals(5, exit.code(), exit::toString);
    }

    // r[verify process.loop-end]
    @ParameterizedTest
    @ValueSource(strings = {"main", "own loop", "shared loop"})
    void aShutdownHookBehindOursCanStartAChild(String caller) {
        ChildExit exit = exitOf(ChildJvm.of(StartsLate.class).args(caller));
        assertEquals(List.of("exit code 3", "the pipe: hold", "own loop: start()"), exit.stdout(), exit::toString);
        assertEquals(5, exit.code(), exit::toString);
    }

    // r[verify process.loop-end]
    @Test
    void childrenThatNobodyEndsDoNotHoldUpTheExit() {
        ChildExit exit = exitOf(ChildJvm.of(LeavesChildren.class));
        assertEquals(List.of(), exit.stdout(), exit::toString);
        assertEquals(5, exit.code(), exit::toString);
    }

    private static ChildExit exitOf(ChildJvm vm) {
        return vm.run(Running.LIMIT);
    }

    /** Calls exit on a thread of that name, when both loops run: one that begins later is not stopped by our hook. */
    private static void exit(String caller, EventLoop own) {
        Futures.get(CompletableFuture.runAsync(() -> {}, own));
        Futures.get(CompletableFuture.runAsync(() -> {}, EventLoop.shared()));
        Runnable exit = () -> System.exit(5);
        switch (caller) {
            case "main" -> exit.run();
            case "own loop" -> own.execute(exit);
            default -> EventLoop.shared().execute(exit);
        }
    }

    private static void awaitOurHook(EventLoop own) {
        Deadline.after(Running.LIMIT)
                .await(
                        "our own hook has stopped the loops",
                        () -> own.isStopping() && EventLoop.shared().isStopping());
    }

    /** Ends its children when all loops are stopped. */
    static final class EndsChildrenLate {
        private EndsChildrenLate() {}

        public static void main(String[] args) {
            EventLoop own = EventLoop.open().start();
            Child onShared = Spawn.command("sleep", "100").start();
            Child onOwn = Spawn.command("sleep", "100").start(own);
            CompletableFuture<ExitStatus> early = onShared.exit();
            CompletableFuture<ExitStatus> earlyOwn = onOwn.exit();
            Runtime.getRuntime().addShutdownHook(new Thread(() -> {
                awaitOurHook(own);
                System.out.println("shared loop: " + end(onShared, early));
                System.out.println("own loop: " + end(onOwn, earlyOwn));
            }));
            exit(args[0], own);
        }

        private static String end(Child child, CompletableFuture<ExitStatus> early) {
            return (child.isAlive() ? "alive, " : "not alive, ")
                    + (child.send(Signal.SIGTERM) ? "sent, " : "not sent, ")
                    + Running.exitOf(child)
                    + (", asked early: " + Futures.get(early).equals(Running.exitOf(child)))
                    + (child.isAlive() ? ", alive" : ", not alive")
                    + (child.send(Signal.SIGTERM) ? ", sent" : ", not sent");
        }
    }

    /** Starts a child when all loops are stopped. */
    static final class StartsLate {
        private StartsLate() {}

        public static void main(String[] args) {
            EventLoop own = EventLoop.open().start();
            EventLoop.shared();
            Runtime.getRuntime().addShutdownHook(new Thread(() -> {
                awaitOurHook(own);
                System.out.println(
                        Running.exitOf(Spawn.command("sh", "-c", "exit 3").start()));
                System.out.println("the pipe: "
                        + said(
                                "hold",
                                () -> Spawn.command("true").stdout(Stdio.pipe()).start()));
                System.out.println("own loop: "
                        + said("start()", () -> Spawn.command("true").start(own)));
            }));
            exit(args[0], own);
        }

        private static String said(String part, Runnable start) {
            try {
                start.run();
                return "started";
            } catch (RejectedExecutionException refused) {
                String message = String.valueOf(refused.getMessage());
                return message.contains(part) ? part : message;
            }
        }
    }

    /** Has children that live on, and somebody who waits for their end. */
    static final class LeavesChildren {
        private LeavesChildren() {}

        public static void main(String[] args) {
            EventLoop own = EventLoop.open().start();
            Child first = Spawn.command("sleep", "1").start(own);
            Child second = Spawn.command("sleep", "1").start();
            Thread waits = new Thread(() -> {
                Running.exitOf(first);
                Running.exitOf(second);
                LockSupport.park();
            });
            waits.setDaemon(true);
            waits.start();
            exit("own loop", own);
        }
    }
}

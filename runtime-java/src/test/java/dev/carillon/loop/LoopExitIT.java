package dev.carillon.loop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.sys.call.Epoll;
import dev.carillon.sys.call.Sys;
import dev.carillon.test.ChildJvm;
import dev.carillon.test.ChildProcess;
import dev.carillon.test.Deadline;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The end of processes that have loops. */
final class LoopExitIT {
    private static final Duration LIMIT = Duration.ofSeconds(30);

    /** HotSpot waits 300 ms for a thread in native code. With less than this the first tries are enough. */
    private static final long MORE_MILLIS = 20;

    private static final int FAR_LONGER = 4;

    // r[verify loop.exit]
    @Test
    void threeParkedLoopsDoNotHoldUpTheEndOfTheProcess() throws Exception {
        assertTakesNoLonger(ThreeLoops.class, "with three parked loops");
    }

    private static void assertTakesNoLonger(Class<?> main, String what) throws Exception {
        long best = Long.MAX_VALUE;
        long without = Long.MAX_VALUE;
        long planted = 0;
        // A busy machine needs tries; what holds up the exit each time shows in each of them. Three at the least:
        // one slow exit without loops is no excuse for the others. The planted poll may come too late to hold it up.
        int tries = 0;
        do {
            without = Math.min(without, exitMillis(NoLoops.class));
            best = Math.min(best, exitMillis(main));
            if (planted - without < 10 * MORE_MILLIS) {
                planted = exitMillis(PollsWithoutALoop.class);
            }
        } while (++tries < 3
                || ((best - without >= MORE_MILLIS || planted - without < 10 * MORE_MILLIS) && tries < 20));
        String figures = "exit took " + best + " ms " + what + ", at best, " + without + " without loops, and "
                + planted + " with a thread in a poll that nobody ends";
        // Threads that are woken have to wait for their turn on a busy machine; what would hold up the exit takes far
        // longer.
        assertTrue((best - without) * FAR_LONGER < planted - without, figures);
        assertTrue(planted - without >= 10 * MORE_MILLIS, figures + ": a loop that held it up would not be seen");
        System.out.println(figures);
    }

    /** From the exit call to the end of standard output, which only the end of the process closes. */
    private static long exitMillis(Class<?> main) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        command.add(System.getProperty("java.home") + "/bin/java");
        if (Runtime.version().feature() >= 22) {
            command.add("--enable-native-access=ALL-UNNAMED");
        }
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
        Process process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        try (InputStream out = process.getInputStream()) {
            String printed = new String(out.readAllBytes(), java.nio.charset.StandardCharsets.US_ASCII);
            long end = System.currentTimeMillis();
            assertTrue(process.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS));
            assertEquals(0, process.exitValue());
            return end - Long.parseLong(printed.strip());
        } finally {
            process.destroyForcibly();
        }
    }

    // r[verify loop.exit]
    @Test
    void anExitFindsALoopWhoseThreadHasNotRunYet() {
        for (int i = 0; i < 20; i++) {
            try (EventLoop loop = EventLoop.open()) {
                loop.start();
                assertTrue(
                        LoopRegistry.running().contains(loop.parts.thread.entry), "the exit does not know of " + loop);
            }
        }
    }

    /** Prints when it exits, as the next one does. */
    static final class NoLoops {
        public static void main(String[] args) {
            System.out.println(System.currentTimeMillis());
            System.out.flush();
            Runtime.getRuntime().exit(0);
        }
    }

    /** What the exit would be if nobody woke the loops: it prints when it exits. */
    static final class PollsWithoutALoop {
        public static void main(String[] args) {
            Epoll epoll = Sys.get().epoll(1);
            Thread parked = new Thread(() -> epoll.await(Duration.ofMinutes(1).toNanos()), "parked");
            parked.setDaemon(true);
            parked.start();
            Deadline.after(LIMIT).await("it polls", () -> polls(parked));
            NoLoops.main(args);
        }

        private static boolean polls(Thread thread) {
            StackTraceElement[] stack = thread.getStackTrace();
            return stack.length > 0 && !stack[0].getMethodName().equals("await");
        }
    }

    /** Prints when it exits. */
    static final class ThreeLoops {
        public static void main(String[] args) {
            List<EventLoop> loops = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                loops.add(EventLoop.open().start());
            }
            Deadline.after(LIMIT)
                    .await(
                            "all are parked",
                            () -> loops.stream().allMatch(loop -> loop.parts.runner.isBlockedInPoll()));
            System.out.println(System.currentTimeMillis());
            System.out.flush();
            Runtime.getRuntime().exit(0);
        }
    }

    // r[verify loop.exit]
    @Test
    void anExitFromACallbackIsNotHeldUp() throws Exception {
        assertTakesNoLonger(ExitsInCallback.class, "from a callback");
    }

    /** The exit waits for its hooks, and the loop that it was called on comes back no more. */
    static final class ExitsInCallback {
        public static void main(String[] args) {
            EventLoop.open().start().execute(() -> NoLoops.main(args));
        }
    }

    // r[verify loop.exit]
    @ParameterizedTest
    @ValueSource(longs = {20, Long.MAX_VALUE})
    void aHoldKeepsLoopsRunningForAShutdownHook(long seconds) {
        try (ChildProcess child = ChildJvm.of(UsesALoopInItsHook.class)
                .args(Long.toString(seconds))
                .start()) {
            assertEquals(List.of("the loop still runs"), child.awaitExit(LIMIT).stdout());
        }
    }

    static final class UsesALoopInItsHook {
        public static void main(String[] args) {
            EventLoop loop = EventLoop.open().start();
            ExitHold hold = EventLoop.holdExit(Duration.ofSeconds(Long.parseLong(args[0])));
            Runtime.getRuntime().addShutdownHook(new Thread(() -> {
                LockSupport.parkNanos(Duration.ofMillis(100).toNanos());
                LoopCase.on(loop, () -> {
                    System.out.println("the loop still runs");
                    return true;
                });
                hold.close();
            }));
            Runtime.getRuntime().exit(0);
        }
    }

    /** Hooks run in no order; this one sees to it that the exit stops loops after it has started its own. */
    // r[verify loop.exit]
    @Test
    void theExitStopsNoLoopThatAShutdownHookStartedAndSaysSoOfTheOthers() {
        try (ChildProcess child = ChildJvm.of(StartsLoopsInItsHook.class).start()) {
            assertEquals(
                    List.of(
                            "opened in the hook: runs",
                            "started in the hook: runs",
                            "ran before: refused since the VM exits"),
                    child.awaitExit(LIMIT).stdout());
        }
    }

    static final class StartsLoopsInItsHook {
        public static void main(String[] args) {
            EventLoop before = EventLoop.open().start();
            EventLoop openedBefore = EventLoop.open();
            ExitHold hold = EventLoop.holdExit(LIMIT);
            Runtime.getRuntime().addShutdownHook(new Thread(() -> inHook(before, openedBefore, hold)));
            Runtime.getRuntime().exit(0);
        }

        private static void inHook(EventLoop before, EventLoop openedBefore, ExitHold hold) {
            try (EventLoop fresh = EventLoop.open().start();
                    EventLoop late = openedBefore.start()) {
                hold.close();
                Deadline.after(LIMIT).await("the exit stops the loops", before::isTerminated);
                LoopCase.on(fresh, () -> say("opened in the hook: runs"));
                LoopCase.on(late, () -> say("started in the hook: runs"));
                RejectedExecutionException refused =
                        assertThrows(RejectedExecutionException.class, () -> before.execute(() -> {}));
                String why = String.valueOf(refused.getMessage());
                say("ran before: "
                        + (why.contains("since the VM exits; hold the exit") ? "refused since the VM exits" : why));
            }
        }

        private static boolean say(String line) {
            System.out.println(line);
            return true;
        }
    }

    /** In a process of its own, as the first virtual thread starts threads of the VM that stay. */
    // r[verify loop.binding]
    @Test
    void aVirtualThreadCannotRunALoop() {
        Assumptions.assumeTrue(Runtime.version().feature() >= 21, "virtual threads came with JDK 21");
        try (ChildProcess child = ChildJvm.of(RunsOnAVirtualThread.class).start()) {
            child.awaitLine(Pattern.compile("cannot run on a virtual thread"), LIMIT);
            assertEquals(0, child.awaitExit(LIMIT).code());
        }
    }

    static final class RunsOnAVirtualThread {
        public static void main(String[] args) throws Exception {
            EventLoop loop = EventLoop.open();
            Thread thread = (Thread) Thread.class
                    .getMethod("startVirtualThread", Runnable.class)
                    .invoke(null, (Runnable) () -> {
                        try {
                            loop.runUntilEmpty();
                        } catch (IllegalStateException refused) {
                            System.out.println(refused.getMessage());
                        }
                    });
            thread.join(LIMIT.toMillis());
        }
    }

    // r[verify loop.binding]
    @Test
    void theSharedLoopIsADaemonAndCannotBeClosed() {
        try (ChildProcess child = ChildJvm.of(Shares.class).start()) {
            assertEquals(
                    List.of("refused", "refused", "still there"),
                    child.awaitExit(LIMIT).stdout());
        }
    }

    static final class Shares {
        public static void main(String[] args) {
            EventLoop shared = EventLoop.shared();
            assertThrows(UnsupportedOperationException.class, shared::close);
            System.out.println("refused");
            assertThrows(UnsupportedOperationException.class, shared::requestStop);
            System.out.println("refused");
            System.out.println(LoopCase.on(EventLoop.shared(), () -> "still there"));
        }
    }
}

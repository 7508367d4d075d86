package dev.carillon.process;

import static dev.carillon.test.Futures.failureOf;
import static dev.carillon.test.Futures.get;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.ClosedException;
import dev.carillon.Signal;
import dev.carillon.loop.EventLoop;
import dev.carillon.loop.EventLoopOptions;
import dev.carillon.test.ChildProcess;
import dev.carillon.test.Deadline;
import dev.carillon.test.LeakExempt;
import dev.carillon.test.LeakKind;
import dev.carillon.test.Seeded;
import dev.carillon.test.proc.Descriptors;
import dev.carillon.test.proc.TaskStat;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Watches of processes that are no children. */
@LeakExempt(
        kinds = {LeakKind.THREAD, LeakKind.DESCRIPTOR},
        why = "the shared loop lives as long as the VM")
final class ProcessWatchIT extends ChildCase {
    private static char stateOf(int pid) {
        return TaskStat.read("/proc/" + pid).map(TaskStat::state).orElse('-');
    }

    private static boolean isSleep(long pid) {
        return TaskStat.read("/proc/" + pid)
                .filter(stat -> stat.name().equals("sleep"))
                .isPresent();
    }

    private static long pidfds() {
        return Descriptors.open().values().stream()
                .filter(target -> target.contains("pidfd"))
                .count();
    }

    // r[verify process.watch]
    @Test
    void theEndOfAStrangerIsToldOnTheLoopThread() {
        try (ChildProcess parent = Strangers.parent(Strangers.TAKEN);
                ProcessWatch watch = ProcessWatch.of(loop, Strangers.pidOf(parent))) {
            CompletableFuture<Boolean> onLoop = watch.exited().thenApply(ended -> loop.inLoop());
            assertTrue(watch.isAlive());
            assertFalse(onLoop.isDone());
            assertEquals(TaskStat.read("/proc/" + watch.pid()).orElseThrow().startTicks(), watch.startTime());
            assertTrue(watch.send(Signal.SIGKILL));
            assertTrue(get(onLoop));
            assertFalse(watch.isAlive());
            assertFalse(watch.send(Signal.SIGKILL));
            assertTrue(watch.exited().isDone());
            assertTrue(watch.startTime() > 0);
        }
    }

    // r[verify process.watch]
    @Test
    void aZombieHasEndedBeforeAndAfterTheWatchIsMade() {
        try (ChildProcess parent = Strangers.parent(Strangers.NOT_TAKEN);
                ProcessWatch before = ProcessWatch.of(loop, Strangers.pidOf(parent))) {
            // Some shells take an end at once, so the parent must be none any more.
            Deadline.after(Running.LIMIT).await("its parent takes no end", () -> isSleep(parent.pid()));
            assertTrue(before.send(Signal.SIGTERM));
            get(before.exited());
            assertEquals('Z', stateOf(before.pid()));
            try (ProcessWatch after = ProcessWatch.of(loop, before.pid())) {
                assertFalse(after.isAlive());
                assertFalse(after.send(Signal.SIGTERM));
                assertEquals(before.startTime(), after.startTime());
                get(after.exited());
                assertEquals('Z', stateOf(before.pid()));
            }
        }
    }

    @Test
    void aProcessIsWatchedManyTimesAndEachWatchIsOfItsOwn() {
        long before = pidfds();
        try (ChildProcess parent = Strangers.parent(Strangers.TAKEN)) {
            int pid = Strangers.pidOf(parent);
            List<ProcessWatch> watches = new ArrayList<>();
            List<CompletableFuture<@Nullable Void>> ends = new ArrayList<>();
            for (int i = 0; i < 50; i++) {
                watches.add(i % 2 == 0 ? ProcessWatch.of(pid) : ProcessWatch.of(loop, pid));
                ends.add(watches.get(i).exited());
            }
            watches.get(7).close();
            assertTrue(watches.get(8).send(Signal.SIGKILL));
            for (int i = 0; i < 50; i++) {
                if (i == 7) {
                    assertInstanceOf(ClosedException.class, failureOf(ends.get(i)));
                } else {
                    get(ends.get(i));
                }
            }
            // Nobody has closed them: the end of the process has.
            Deadline.after(Running.LIMIT).await("no pidfd is left", () -> pidfds() <= before);
        }
    }

    // r[verify process.stages]
    @Test
    void aCancelledFutureEndsNeitherTheWatchNorOtherFutures() {
        try (ChildProcess parent = Strangers.parent(Strangers.TAKEN);
                ProcessWatch watch = ProcessWatch.of(loop, Strangers.pidOf(parent))) {
            CompletableFuture<@Nullable Void> cancelled = watch.exited();
            CompletableFuture<@Nullable Void> kept = watch.exited();
            assertTrue(cancelled.cancel(true));
            assertTrue(watch.isAlive());
            assertTrue(watch.send(Signal.SIGKILL));
            get(kept);
            assertInstanceOf(CancellationException.class, failureOf(cancelled));
        }
    }

    // r[verify process.watch-close]
    @Test
    void aCloseFailsThoseWhoWaitAndClosesThePidfd() {
        long before = pidfds();
        try (ChildProcess parent = Strangers.parent(Strangers.TAKEN)) {
            ProcessWatch watch = ProcessWatch.of(loop, Strangers.pidOf(parent));
            CompletableFuture<@Nullable Void> end = watch.exited();
            watch.close();
            watch.close();
            Running.assertMessage(
                    failureOf(end), "the watch of process " + watch.pid() + " was closed before its end was seen");
            assertInstanceOf(ClosedException.class, failureOf(watch.exited()));
            assertThrows(ClosedException.class, watch::isAlive);
            assertThrows(ClosedException.class, () -> watch.send(Signal.SIGKILL));
            assertEquals("ProcessWatch[" + watch.pid() + ", closed]", watch.toString());
            assertTrue(watch.startTime() > 0);
            assertTrue("ZX-".indexOf(stateOf(watch.pid())) < 0, "the process has ended");
            Deadline.after(Running.LIMIT).await("no pidfd is left", () -> pidfds() <= before);
        }
    }

    // r[verify process.watch-close]
    @Test
    void whatWasSeenStaysKnownAfterTheClose() {
        try (ChildProcess parent = Strangers.parent(Strangers.TAKEN)) {
            ProcessWatch watch = ProcessWatch.of(loop, Strangers.pidOf(parent));
            watch.send(Signal.SIGKILL);
            get(watch.exited());
            watch.close();
            assertFalse(watch.isAlive());
            assertFalse(watch.send(Signal.SIGKILL));
            get(watch.exited());
            assertEquals("ProcessWatch[" + watch.pid() + ", ended]", watch.toString());
        }
    }

    @Test
    void aWatchCanBeOfThisVeryProcessAndOfAChild() {
        try (ProcessWatch own = ProcessWatch.of(loop, ProcessHandle.current().pid())) {
            assertTrue(own.isAlive());
            try (Child child = Spawn.command("sleep", "100").start(loop);
                    ProcessWatch watch = ProcessWatch.of(loop, child.pid())) {
                assertTrue(watch.startTime() >= own.startTime());
                assertTrue(watch.send(Signal.SIGTERM));
                assertEquals(Signal.SIGTERM, Running.exitOf(child).signal());
                get(watch.exited());
            }
        }
    }

    @Test
    void aWaitForTheEndOnTheLoopThreadIsRefused() {
        try (ProcessWatch own = ProcessWatch.of(loop, ProcessHandle.current().pid())) {
            CompletableFuture<?> waits =
                    CompletableFuture.runAsync(() -> own.exited().join(), loop);
            assertInstanceOf(IllegalStateException.class, failureOf(waits));
        }
    }

    // r[verify process.watch-loop-end]
    @Test
    void whereTheLoopEndsFirstTheWaitFailsAndTheWatchStillAnswers() {
        try (ChildProcess parent = Strangers.parent(Strangers.TAKEN);
                ProcessWatch watch = ProcessWatch.of(loop, Strangers.pidOf(parent))) {
            CompletableFuture<@Nullable Void> end = watch.exited();
            loop.close();
            assertInstanceOf(ClosedException.class, failureOf(end));
            Running.assertMessage(failureOf(watch.exited()), "has ended before process " + watch.pid());
            assertTrue(watch.isAlive());
            assertTrue(watch.send(Signal.SIGKILL));
            Deadline.after(Running.LIMIT).await("it has ended", () -> !watch.isAlive());
            assertFalse(watch.send(Signal.SIGKILL));
        }
    }

    // r[verify process.watch-loop-end]
    @Test
    void anEndThatCameBeforeThatOfTheLoopIsTold() {
        EventLoop unrun = EventLoop.open();
        try (ChildProcess parent = Strangers.parent(Strangers.TAKEN);
                ProcessWatch watch = ProcessWatch.of(unrun, Strangers.pidOf(parent))) {
            CompletableFuture<@Nullable Void> end = watch.exited();
            watch.send(Signal.SIGKILL);
            Deadline.after(Running.LIMIT).await("it has ended", () -> !watch.isAlive());
            assertFalse(end.isDone());
            unrun.close();
            get(end);
        }
    }

    // r[verify process.watch-close]
    @Test
    void aCloseAndAnEndAtOnceSettleEachFutureAndLeaveNoPidfd(@Seeded SplittableRandom random) throws Exception {
        long before = pidfds();
        for (int i = 0; i < 100; i++) {
            Child child = Spawn.command("sleep", "100").start(loop);
            ProcessWatch watch = ProcessWatch.of(loop, child.pid());
            CompletableFuture<@Nullable Void> end = watch.exited();
            int pause = random.nextInt(2_000);
            Thread closer = new Thread(() -> {
                for (int spin = 0; spin < pause; spin++) {
                    Thread.onSpinWait();
                }
                watch.close();
            });
            closer.start();
            child.kill();
            closer.join();
            Deadline.after(Running.LIMIT).await("the future is settled", end::isDone);
            Running.exitOf(child);
            // Whichever came first, the answer stays.
            assertEquals(end.isCompletedExceptionally(), watch.exited().isCompletedExceptionally());
        }
        Deadline.after(Running.LIMIT).await("no pidfd is left", () -> pidfds() <= before);
    }

    // r[verify process.watch-loop-end]
    @Test
    void aLoopThatEndsWhileWatchesAreMadeFailsOrRefusesEach(@Seeded SplittableRandom random) throws Exception {
        long before = pidfds();
        long own = ProcessHandle.current().pid();
        Queue<Throwable> errors = new ConcurrentLinkedQueue<>();
        EventLoopOptions options = EventLoopOptions.builder()
                .errorHandler((which, error) -> errors.add(error))
                .build();
        for (int i = 0; i < 500; i++) {
            EventLoop ending = EventLoop.open(options).start();
            int watched = random.nextInt(20);
            Thread closer = new Thread(ending::close);
            for (int made = 0; made < 40; made++) {
                if (made == watched) {
                    closer.start();
                }
                try (ProcessWatch watch = ProcessWatch.of(ending, own)) {
                    CompletableFuture<@Nullable Void> end = watch.exited();
                    if (made == 39) {
                        assertInstanceOf(ClosedException.class, failureOf(end));
                    }
                } catch (RejectedExecutionException refused) {
                    break;
                }
            }
            closer.join();
            assertTrue(ending.isTerminated());
        }
        assertEquals(List.of(), List.copyOf(errors));
        Deadline.after(Running.LIMIT).await("no pidfd is left", () -> pidfds() <= before);
    }
}

package dev.carillon.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.carillon.Signal;
import dev.carillon.SyscallException;
import dev.carillon.loop.EventLoop;
import dev.carillon.sys.Fd;
import dev.carillon.sys.LibC;
import dev.carillon.sys.Seccomp;
import dev.carillon.sys.call.Sys;
import dev.carillon.sys.layout.SyscallNumbers;
import dev.carillon.test.ChildExit;
import dev.carillon.test.ChildJvm;
import dev.carillon.test.ChildProcess;
import dev.carillon.test.Deadline;
import dev.carillon.test.Futures;
import dev.carillon.test.LoadedClasses;
import dev.carillon.test.proc.Descriptors;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Processes that cannot be watched, or not be sent a signal: what is told, and that nothing is left. */
final class ProcessWatchRefusedIT {
    private static final int NOBODY = 65_534;

    private static void assertPrints(List<String> lines, ChildJvm vm) {
        try (ChildProcess parent = Strangers.parent(Strangers.TAKEN)) {
            String pid = Integer.toString(Strangers.pidOf(parent));
            ChildExit exit = vm.args(pid).run(Running.LIMIT);
            List<String> printed =
                    exit.stdout().stream().map(line -> line.replace(pid, "N")).toList();
            assertEquals(lines, printed, exit::toString);
            assertEquals(0, exit.code(), exit::toString);
        }
    }

    // r[verify process.watch-refused]
    @Test
    void numbersOfNoProcessAreToldApart() throws Exception {
        try (EventLoop loop = EventLoop.open().start();
                ChildProcess parent = Strangers.parent("sleep 0 & echo pid $!; wait; echo taken; exec sleep 100")) {
            int ended = Strangers.pidOf(parent);
            parent.awaitLine("taken", Running.LIMIT);
            ProcessWatchException none = assertThrows(ProcessWatchException.class, () -> ProcessWatch.of(loop, ended));
            assertEquals(ProcessWatchException.Reason.NO_SUCH_PROCESS, none.reason());
            assertEquals("ESRCH", none.errnoName());
            assertEquals(3, none.errno());
            assertEquals(ended, none.pid());
            Running.assertMessage(
                    none,
                    "pid=" + ended + " cannot be watched: ESRCH (3), NO_SUCH_PROCESS; it has ended, or the number");
            for (long pid : new long[] {0, -1, Long.MIN_VALUE, 1L << 32, Long.MAX_VALUE}) {
                Running.assertMessage(
                        assertThrows(IllegalArgumentException.class, () -> ProcessWatch.of(loop, pid)), "pid=" + pid);
            }
            String[] threads = Objects.requireNonNull(new File("/proc/self/task").list());
            long own = ProcessHandle.current().pid();
            long thread = Arrays.stream(threads)
                    .mapToLong(Long::parseLong)
                    .filter(id -> id != own)
                    .findAny()
                    .orElseThrow();
            assertEquals(
                    ProcessWatchException.Reason.NO_SUCH_PROCESS,
                    assertThrows(ProcessWatchException.class, () -> ProcessWatch.of(loop, thread))
                            .reason());
        }
    }

    // r[verify process.watch-recycled]
    @Test
    void aNumberThatWasFreedAmidTheOpeningIsRefused() {
        Sys sys = Sys.get();
        try (EventLoop loop = EventLoop.open().start();
                Child child = Spawn.command("sleep", "100").start(loop)) {
            Fd fd = Objects.requireNonNull(sys.processes().descriptorOf(child.pid()));
            child.kill();
            Running.exitOf(child);
            ProcessWatchException gone =
                    assertThrows(ProcessWatchException.class, () -> OpenProcess.of(sys, child.pid(), Pidfd.opened(fd)));
            assertEquals(ProcessWatchException.Reason.NO_SUCH_PROCESS, gone.reason());
            assertFalse(fd.isOpen());
        }
    }

    // r[verify process.watch-refused]
    @Test
    void aLoopThatIsStoppingOrHasEndedRefusesAndLeavesNoDescriptor() {
        int before = Descriptors.count();
        long own = ProcessHandle.current().pid();
        EventLoop loop = EventLoop.open();
        loop.requestStop();
        assertThrows(RejectedExecutionException.class, () -> ProcessWatch.of(loop, own));
        loop.close();
        assertThrows(RejectedExecutionException.class, () -> ProcessWatch.of(loop, own));
        Deadline.after(Running.LIMIT).await("no descriptor is left", () -> Descriptors.count() <= before);
    }

    // r[verify process.watch-refused]
    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void withoutDescriptorsAWatchIsRefusedAndLeavesNone(int free) {
        assertPrints(List.of("NO_DESCRIPTOR EMFILE"), limited(Integer.toString(free), "refused"));
    }

    // r[verify process.watch]
    @Test
    void whereTheLoopFindsNoDescriptorTheEndIsSeenAllTheSame() {
        assertPrints(List.of("alive, ended"), limited("2", "late"));
    }

    /** In a container the VM reads limits at any time, with a descriptor that would be one too few or too many. */
    private static ChildJvm limited(String... args) {
        return ChildJvm.of(Limited.class).vmFlags("-XX:-UseContainerSupport").args(args);
    }

    // r[verify process.watch-refused] r[verify process.watch-signal]
    @ParameterizedTest
    @CsvSource({
        "EPERM, 1, pidfd_open, NO_PIDFD EPERM",
        "ENOSYS, 38, pidfd_open, NO_PIDFD ENOSYS",
        "EPERM, 1, pidfd_open later, NOT_PERMITTED EPERM",
        "EACCES, 13, pidfd_open later, NOT_PERMITTED EACCES",
        "ENOSPC, 28, epoll_ctl, alive; sent; ended",
        "ENOMEM, 12, epoll_ctl, alive; sent; ended",
        "EPERM, 1, pidfd_send_signal, alive; EPERM: it belongs to another user; alive",
        "ENOSYS, 38, pidfd_send_signal, alive; ENOSYS: the kernel is too old for this call; alive",
        "EACCES, 13, openat2, no start time; alive; sent; ended"
    })
    void whatTheKernelRefusesIsTold(String name, int errno, String call, String expected) {
        assertPrints(List.of(expected.split("; ")), ChildJvm.of(Refused.class).args(Integer.toString(errno), call));
    }

    // r[verify process.watch-refused]
    @Test
    void whatThePropertyTakesAwayIsNotUsed() {
        assertPrints(
                List.of("NO_PIDFD ENOSYS"),
                ChildJvm.of(Refused.class).args("0", "").vmFlags("-Dcarillon.without=pidfd_open"));
    }

    // r[verify process.watch-signal]
    @Test
    void aProcessOfAnotherUserIsWatchedAndNotSignalled() throws Exception {
        Assumptions.assumeTrue(
                Files.getAttribute(Path.of("/proc/self"), "unix:uid").equals(0), "only root can start another user");
        assertPrints(
                List.of("alive", "EPERM: it belongs to another user", "alive"),
                ChildJvm.of(Refused.class).user(NOBODY, NOBODY).args("0", ""));
    }

    private static ProcessWatch watch(EventLoop loop, String pid) {
        return ProcessWatch.of(loop, Long.parseLong(pid));
    }

    private static String state(ProcessWatch watch) {
        return watch.isAlive() ? "alive" : "ended";
    }

    /** Has few descriptors left, and runs its loop itself. */
    static final class Limited {
        private Limited() {}

        public static void main(String[] args) throws Exception {
            LoadedClasses.of(ProcessWatchRefusedIT.class, LibC.class);
            try (EventLoop loop = EventLoop.open();
                    ProcessWatch early = watch(loop, args[2])) {
                loop.runUntilEmpty();
                int free = Integer.parseInt(args[0]);
                int all = TakenDescriptors.free();
                Deadline.after(Running.LIMIT).await("what was taken is free", () -> TakenDescriptors.free() >= all);
                if (args[1].equals("late")) {
                    isWatchedWithoutALoop(loop, early, free, args[2]);
                } else {
                    isRefused(loop, free, args[2]);
                }
            }
        }

        private static void isRefused(EventLoop loop, int free, String pid) {
            // Whatever is used below has been used before.
            assertThrows(ProcessWatchException.class, () -> ProcessWatch.of(loop, Integer.MAX_VALUE));
            Deque<Fd> taken = TakenDescriptors.allBut(free);
            ProcessWatchException refused = assertThrows(ProcessWatchException.class, () -> watch(loop, pid));
            Deadline.after(Running.LIMIT).await("nothing is left", () -> TakenDescriptors.free() == free);
            taken.forEach(Fd::close);
            System.out.println(refused.reason() + " " + refused.errnoName());
        }

        private static void isWatchedWithoutALoop(EventLoop loop, ProcessWatch early, int free, String pid) {
            Deque<Fd> taken = TakenDescriptors.allBut(free);
            try (ProcessWatch late = watch(loop, pid)) {
                taken.addAll(TakenDescriptors.allBut(0));
                loop.runUntilEmpty();
                StringBuilder told = new StringBuilder(state(late));
                CompletableFuture<@Nullable Void> end = late.exited();
                early.send(Signal.SIGKILL);
                Deadline.after(Running.LIMIT).await("the end is told", () -> {
                    loop.runUntilEmpty();
                    return end.isDone();
                });
                told.append(", ").append(state(late));
                taken.forEach(Fd::close);
                System.out.println(told);
            }
        }
    }

    /** Some call is refused. */
    static final class Refused {
        private Refused() {}

        public static void main(String[] args) {
            try (EventLoop loop = EventLoop.open().start()) {
                CompletableFuture.runAsync(() -> {}, loop).join();
                switch (args[1]) {
                    case "pidfd_open" -> refuse(args[0], SyscallNumbers.PIDFD_OPEN);
                    case "pidfd_open later" -> {
                        watch(loop, args[2]).close();
                        refuse(args[0], SyscallNumbers.PIDFD_OPEN);
                    }
                    case "pidfd_send_signal" -> refuse(args[0], SyscallNumbers.PIDFD_SEND_SIGNAL);
                    case "epoll_ctl" -> refuse(args[0], SyscallNumbers.EPOLL_CTL);
                    case "openat2" -> {
                        watch(loop, args[2]).close();
                        refuse(args[0], SyscallNumbers.OPENAT2);
                    }
                    default -> {}
                }
                tryAll(loop, args[2]);
            }
        }

        private static void refuse(String errno, int call) {
            Seccomp.refuse(LibC.get(), Integer.parseInt(errno), call);
        }

        private static void tryAll(EventLoop loop, String pid) {
            try (ProcessWatch watch = watch(loop, pid)) {
                try {
                    watch.startTime();
                } catch (UnsupportedOperationException unknown) {
                    System.out.println("no start time");
                }
                System.out.println(state(watch));
                boolean isSent = false;
                try {
                    isSent = watch.send(Signal.SIGTERM);
                    System.out.println(isSent ? "sent" : "not sent");
                } catch (SyscallException refused) {
                    String advice = String.valueOf(refused.getMessage()).replaceAll(".*[)]: (pid=\\d+: )?|,.*", "");
                    System.out.println(refused.errnoName() + ": " + advice);
                }
                if (isSent) {
                    Futures.get(watch.exited());
                }
                System.out.println(state(watch));
            } catch (ProcessWatchException refused) {
                System.out.println(refused.reason() + " " + refused.errnoName());
            }
        }
    }
}

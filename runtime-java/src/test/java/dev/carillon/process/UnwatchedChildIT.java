package dev.carillon.process;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.carillon.Signal;
import dev.carillon.loop.EventLoop;
import dev.carillon.sys.Fd;
import dev.carillon.sys.LibC;
import dev.carillon.sys.Seccomp;
import dev.carillon.sys.layout.SyscallNumbers;
import dev.carillon.test.ChildExit;
import dev.carillon.test.ChildJvm;
import dev.carillon.test.Deadline;
import dev.carillon.test.Futures;
import dev.carillon.test.LoadedClasses;
import dev.carillon.test.proc.Descriptors;
import java.io.File;
import java.io.IOException;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Children whose pidfd cannot be had, or not be watched: each starts, is told of, and leaves no zombie. */
final class UnwatchedChildIT {
    private static final List<String> ALL_WELL =
            List.of("exit code 7", "alive, sent", "terminated by SIGTERM", "ended, not sent", "not found", "zombies 0");

    private static void assertPrints(List<String> lines, ChildJvm vm) {
        ChildExit exit = vm.run(Running.LIMIT);
        assertEquals(lines, exit.stdout(), exit::toString);
        assertEquals(0, exit.code(), exit::toString);
    }

    // r[verify process.without-pidfd]
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void atTheLimitOfDescriptorsAChildIsStartedAndItsEndIsTold(int free) {
        assertPrints(ALL_WELL, ChildJvm.of(Limited.class).args(Integer.toString(free), "elsewhere"));
        assertPrints(ALL_WELL, ChildJvm.of(Limited.class).args(Integer.toString(free), "on-loop"));
    }

    // r[verify process.without-pidfd]
    @Test
    void aChildOfTheLimitIsWatchedAsSoonAsADescriptorIsFree() {
        assertPrints(List.of("watched", "terminated by SIGKILL"), ChildJvm.of(FreedLater.class));
    }

    // r[verify process.without-pidfd]
    @ParameterizedTest
    @CsvSource({
        "EPERM, 1, pidfd_open",
        "ENOSYS, 38, pidfd_open",
        "ENOSPC, 28, epoll_ctl",
        "ENOMEM, 12, epoll_ctl",
        "EPERM, 1, pidfd_send_signal",
        "ENOSYS, 38, pidfd_send_signal"
    })
    void whereACallIsRefusedAChildIsStartedAndItsEndIsTold(String name, int errno, String call) {
        assertPrints(ALL_WELL, ChildJvm.of(Refused.class).args(Integer.toString(errno), call));
    }

    // r[verify process.without-pidfd]
    @Test
    void whatThePropertyTakesAwayIsNotUsed() {
        assertPrints(ALL_WELL, ChildJvm.of(Refused.class).args("0", "").vmFlags("-Dcarillon.without=pidfd_open"));
    }

    private static void tryAll(EventLoop loop, boolean print) throws IOException {
        StringBuilder text = new StringBuilder();
        Child ended = Spawn.command("sh", "-c", "exit 7").start(loop);
        text.append(Running.exitOf(ended)).append('\n');
        Child child = Spawn.command("sleep", "100").start(loop);
        text.append(child.isAlive() ? "alive, " : "ended, ");
        text.append(child.queue(Signal.SIGCONT, 1) && child.send(Signal.SIGTERM) ? "sent\n" : "not sent\n");
        text.append(Running.exitOf(child)).append('\n');
        text.append(child.isAlive() ? "alive, " : "ended, ");
        text.append(child.send(Signal.SIGTERM) || child.queue(Signal.SIGUSR1, 1) ? "sent\n" : "not sent\n");
        try {
            text.append(Spawn.command("no-such-bell").start(loop));
        } catch (SpawnException e) {
            text.append(e.reason() == SpawnException.Reason.COMMAND_NOT_FOUND ? "not found\n" : "found\n");
        }
        text.append("zombies ").append(exists(ended) || exists(child) ? 1 : 0);
        if (print) {
            System.out.println(text);
        }
    }

    private static boolean exists(Child child) {
        return new File("/proc/" + child.pid()).exists();
    }

    /** Has few descriptors left. */
    static final class Limited {
        private Limited() {}

        public static void main(String[] args) throws Exception {
            try (EventLoop loop = EventLoop.open().start()) {
                LoadedClasses.of(UnwatchedChildIT.class, LibC.class);
                tryAll(loop, false);
                Deque<Fd> taken = TakenDescriptors.allBut(Integer.parseInt(args[0]));
                if (args[1].equals("elsewhere")) {
                    tryAll(loop, true);
                } else {
                    // What is started on the loop thread itself is watched at once.
                    Child child = Futures.get(CompletableFuture.supplyAsync(
                            () -> Spawn.command("true").start(loop), loop));
                    Running.exitOf(child);
                    tryAll(loop, true);
                }
                taken.forEach(Fd::close);
            }
        }
    }

    /** Gets its descriptors back while a child runs. */
    static final class FreedLater {
        private FreedLater() {}

        public static void main(String[] args) throws Exception {
            try (EventLoop loop = EventLoop.open().start()) {
                LoadedClasses.of(UnwatchedChildIT.class, LibC.class);
                tryAll(loop, false);
                pidfds();
                Deque<Fd> taken = TakenDescriptors.allBut(0);
                Child child = Spawn.command("sleep", "100").start(loop);
                taken.forEach(Fd::close);
                // One is the child's, one is the loop's copy.
                Deadline.after(Running.LIMIT).await("the child is watched", () -> pidfds() == 2);
                System.out.println("watched");
                child.kill();
                System.out.println(Running.exitOf(child));
            }
        }

        private static long pidfds() {
            return Descriptors.open().values().stream()
                    .filter(target -> target.contains("pidfd"))
                    .count();
        }
    }

    /** Some call is refused. */
    static final class Refused {
        private Refused() {}

        public static void main(String[] args) throws Exception {
            try (EventLoop loop = EventLoop.open().start()) {
                CompletableFuture.runAsync(() -> {}, loop).join();
                switch (args[1]) {
                    case "pidfd_open" -> refuse(args[0], SyscallNumbers.PIDFD_OPEN);
                    case "pidfd_send_signal" -> refuse(args[0], SyscallNumbers.PIDFD_SEND_SIGNAL);
                    case "epoll_ctl" -> refuse(args[0], SyscallNumbers.EPOLL_CTL);
                    default -> {}
                }
                tryAll(loop, true);
            }
        }

        private static void refuse(String errno, int call) {
            Seccomp.refuse(LibC.get(), Integer.parseInt(errno), call);
        }
    }
}

package dev.carillon.process;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.carillon.Signal;
import dev.carillon.loop.EventLoop;
import dev.carillon.test.ChildCommand;
import dev.carillon.test.ChildExit;
import dev.carillon.test.ChildJvm;
import dev.carillon.test.Deadline;
import dev.carillon.test.proc.TaskStat;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/** A pid that the kernel gives to another process, in a namespace of its own, where a test can choose the next one. */
final class RecycledPidIT {
    private static final Path LAST_PID = Path.of("/proc/sys/kernel/ns_last_pid");

    // r[verify process.watch-recycled] r[verify process.watch-signal]
    @Test
    void aWatchDoesNotTakeTheNextOwnerOfAPidForItsOwn() {
        String[] namespace = {"unshare", "--fork", "--pid", "--mount-proc"};
        String[] chooses = {"unshare", "--fork", "--pid", "--mount-proc", "sh", "-c", "echo 100 > " + LAST_PID};
        Assumptions.assumeTrue(
                ChildCommand.of(chooses).run(Running.LIMIT).code() == 0,
                "no pid namespaces here, or no way to choose a pid");
        // Threads have numbers of the same kind, so the VM makes none when it pleases.
        ChildExit exit = ChildJvm.of(Recycles.class)
                .vmFlags("-XX:-UseDynamicNumberOfCompilerThreads", "-XX:+UseSerialGC")
                .prefix(namespace)
                .run(Running.LIMIT);
        assertEquals(
                List.of("old: alive false, sent false", "new: alive true, another start true", "sent true"),
                exit.stdout(),
                exit::toString);
    }

    /** The first process of a namespace, so that it takes the end of every one that lost its parent. */
    static final class Recycles {
        private Recycles() {}

        public static void main(String[] args) {
            // Nobody runs it, so that it learns of no end.
            try (EventLoop loop = EventLoop.open()) {
                int pid = start();
                try (ProcessWatch old = ProcessWatch.of(loop, pid)) {
                    old.send(Signal.SIGKILL);
                    recycle(pid, old.startTime());
                    System.out.println("old: alive " + old.isAlive() + ", sent " + old.send(Signal.SIGKILL));
                    try (ProcessWatch fresh = ProcessWatch.of(loop, pid)) {
                        System.out.println("new: alive " + fresh.isAlive() + ", another start "
                                + (fresh.startTime() == startOf(pid) && fresh.startTime() != old.startTime()));
                        System.out.println("sent " + fresh.send(Signal.SIGKILL));
                    }
                }
            }
        }

        private static int start() {
            try {
                return (int) new ProcessBuilder("sleep", "100").start().pid();
            } catch (IOException failure) {
                throw new UncheckedIOException(failure);
            }
        }

        private static long startOf(int pid) {
            return TaskStat.read("/proc/" + pid).map(TaskStat::startTicks).orElse(0L);
        }

        /** Starts processes until one has that pid, and started in another tick of the clock. */
        private static void recycle(int pid, long startTime) {
            Deadline.after(Running.LIMIT).await("the pid is used again", () -> {
                long present = startOf(pid);
                if (present == 0) {
                    choose(pid);
                    start();
                } else if (present == startTime) {
                    ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly);
                }
                return startOf(pid) > startTime;
            });
        }

        private static void choose(int pid) {
            try {
                Files.writeString(LAST_PID, Integer.toString(pid - 1));
            } catch (IOException failure) {
                throw new UncheckedIOException(failure);
            }
        }
    }
}

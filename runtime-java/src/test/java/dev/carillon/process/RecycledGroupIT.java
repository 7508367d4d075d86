package dev.carillon.process;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.carillon.Signal;
import dev.carillon.loop.EventLoop;
import dev.carillon.test.ChildCommand;
import dev.carillon.test.ChildExit;
import dev.carillon.test.ChildJvm;
import dev.carillon.test.Deadline;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The number of a group that a stranger's group has by now, in a namespace where a test can choose the next pid. */
final class RecycledGroupIT {
    private static final Path LAST_PID = Path.of("/proc/sys/kernel/ns_last_pid");

    // r[verify process.group-signal]
    @ParameterizedTest
    @ValueSource(strings = {"openat2", "pidfd_open"})
    void aSignalNeverHitsTheNextGroupOfThatNumber(String without) {
        String[] namespace = {"unshare", "--fork", "--pid", "--mount-proc"};
        String[] chooses = {"unshare", "--fork", "--pid", "--mount-proc", "sh", "-c", "echo 100 > " + LAST_PID};
        Assumptions.assumeTrue(
                ChildCommand.of(chooses).run(Running.LIMIT).code() == 0,
                "no pid namespaces here, or no way to choose a pid");
        // Threads have numbers of the same kind, so the VM makes none when it pleases.
        ChildExit exit = ChildJvm.of(Recycles.class)
                .vmFlags("-XX:-UseDynamicNumberOfCompilerThreads", "-XX:+UseSerialGC")
                .vmFlags("-Dcarillon.without=" + without)
                .prefix(namespace)
                .run(Running.LIMIT.multipliedBy(2));
        assertEquals(
                List.of("sent false", "ended exit code 0", "the stranger is alive true"),
                exit.stdout(),
                exit::toString);
    }

    static final class Recycles {
        private Recycles() {}

        public static void main(String[] args) {
            try (EventLoop loop = EventLoop.open().start()) {
                Child old = Spawn.command("true").ownGroup().start(loop);
                Running.exitOf(old);
                Child stranger = recycle(loop, old.pid());
                System.out.println("sent " + old.sendToGroup(Signal.SIGKILL));
                System.out.println("ended " + old.end(Duration.ZERO).join());
                System.out.println("the stranger is alive " + isAlive(stranger));
                stranger.kill();
                Running.exitOf(stranger);
            }
        }

        /** A signal that ends it would have come by the time that another one is answered. */
        private static boolean isAlive(Child stranger) {
            stranger.send(Signal.SIGTERM);
            return Objects.equals(Running.exitOf(stranger).signal(), Signal.SIGTERM);
        }

        private static Child recycle(EventLoop loop, int pid) {
            Child[] found = new Child[1];
            Deadline.after(Running.LIMIT).await("the pid leads a group again", () -> {
                choose(pid);
                Child next = Spawn.command("sleep", "100").ownGroup().start(loop);
                if (next.pid() != pid) {
                    next.kill();
                    Running.exitOf(next);
                    return false;
                }
                found[0] = next;
                return true;
            });
            return found[0];
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

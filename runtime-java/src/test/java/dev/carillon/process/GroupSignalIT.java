package dev.carillon.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.ExitStatus;
import dev.carillon.Signal;
import dev.carillon.SignalSet;
import dev.carillon.loop.EventLoop;
import dev.carillon.signal.SignalService;
import dev.carillon.sys.call.Sys;
import dev.carillon.test.ChildExit;
import dev.carillon.test.ChildJvm;
import dev.carillon.test.Deadline;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** Ctrl-C while children are being started: the group gets SIGINT, also a child that has not become its program yet. */
final class GroupSignalIT {
    // r[verify process.clean]
    @Test
    void anInterruptOfTheGroupBetweenForkAndExecReachesTheChildAsItsDefault() {
        ChildExit exit = ChildJvm.of(Starting.class).prefix("setsid").run(Running.LIMIT.multipliedBy(2));
        assertEquals(0, exit.code(), exit::toString);
        assertEquals("nobody else ended", exit.stdout().get(1), exit::toString);
        assertTrue(exit.stdout().get(0).matches("interrupted [1-9][0-9]*, before exec [1-9][0-9]*"), exit::toString);
    }

    /** Leads a group, interrupts it all the time, and starts children meanwhile. */
    static final class Starting {
        private static final int CHILDREN = Boolean.getBoolean("carillon.stress") ? 5_000 : 300;

        private Starting() {}

        public static void main(String[] args) throws Exception {
            Sys sys = Sys.get();
            int pid = sys.processes().pid();
            AtomicBoolean done = new AtomicBoolean();
            int beforeExec = 0;
            int interrupted = 0;
            int others = 0;
            // Nobody runs the one of the children, so that one that has ended stays until it was looked at.
            try (EventLoop loop = EventLoop.open();
                    EventLoop signals = EventLoop.open().start()) {
                SignalService service = SignalService.attach(signals, SignalSet.of(Signal.SIGINT));
                Thread sender = new Thread(() -> {
                    while (!done.get()) {
                        // Negative: the whole group, which the checked call refuses.
                        sys.libc().kill(-pid, Signal.SIGINT.number());
                        Thread.onSpinWait();
                    }
                });
                sender.start();
                for (int i = 0; i < CHILDREN; i++) {
                    Child child = Spawn.command("true").start(loop);
                    boolean wasTrue = nameOfEnded(child.pid()).equals("true");
                    CompletableFuture<ExitStatus> exit = child.exit();
                    Deadline.after(Running.LIMIT).await("its end is told", () -> {
                        loop.runUntilEmpty();
                        return exit.isDone();
                    });
                    ExitStatus status = exit.join();
                    boolean isInterrupted = Objects.equals(status.signal(), Signal.SIGINT);
                    interrupted += isInterrupted ? 1 : 0;
                    beforeExec += isInterrupted && !wasTrue ? 1 : 0;
                    others += isInterrupted || (status.isSuccess() && wasTrue) ? 0 : 1;
                }
                done.set(true);
                sender.join();
                System.err.println(service);
                System.out.println("interrupted " + interrupted + ", before exec " + beforeExec);
                System.out.println(others == 0 ? "nobody else ended" : others + " ended otherwise");
                // Before the service is closed: an interrupt may still be on its way to a thread of ours.
                System.exit(0);
            }
        }

        /** The kernel keeps the name of a zombie: that of our thread, if it never became its program. */
        private static String nameOfEnded(int pid) {
            Path stat = Path.of("/proc", Integer.toString(pid), "stat");
            String[] name = new String[1];
            Deadline.after(Running.LIMIT).await("it is a zombie", () -> {
                String line = read(stat);
                int end = line.lastIndexOf(')');
                name[0] = line.substring(line.indexOf('(') + 1, end);
                return line.startsWith(") Z", end);
            });
            return name[0];
        }

        private static String read(Path file) {
            try {
                return Files.readString(file);
            } catch (IOException e) {
                throw new UncheckedIOException("Cannot read " + file, e);
            }
        }
    }
}

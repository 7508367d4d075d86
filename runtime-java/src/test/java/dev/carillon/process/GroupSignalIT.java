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
import dev.carillon.test.ChildProcess;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** Ctrl-C while children are being started: the group gets SIGINT, also a child that has not become its program yet. */
final class GroupSignalIT {
    // r[verify process.clean]
    @Test
    void anInterruptOfTheGroupBetweenForkAndExecReachesTheChildAsItsDefault() {
        try (ChildProcess child = ChildJvm.of(Starting.class).prefix("setsid").start()) {
            ChildExit exit = child.awaitExit(Running.LIMIT.multipliedBy(2));
            assertEquals(0, exit.code(), exit::toString);
            assertEquals("nobody else ended", exit.stdout().get(1), exit::toString);
            assertTrue(exit.stdout().get(0).matches("interrupted [1-9][0-9]*"), exit::toString);
        }
    }

    /** Leads a group, interrupts it all the time, and starts children meanwhile. */
    static final class Starting {
        private static final int CHILDREN = Boolean.getBoolean("carillon.stress") ? 5_000 : 300;

        private Starting() {}

        public static void main(String[] args) throws Exception {
            Sys sys = Sys.get();
            int pid = sys.processes().pid();
            AtomicBoolean done = new AtomicBoolean();
            int interrupted = 0;
            int others = 0;
            try (EventLoop loop = EventLoop.open().start();
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
                    ExitStatus status = Running.exitOf(Spawn.command("true").start(loop));
                    boolean isInterrupted = Objects.equals(status.signal(), Signal.SIGINT);
                    interrupted += isInterrupted ? 1 : 0;
                    others += isInterrupted || status.isSuccess() ? 0 : 1;
                }
                done.set(true);
                sender.join();
                System.err.println(service);
            }
            System.out.println("interrupted " + interrupted);
            System.out.println(others == 0 ? "nobody else ended" : others + " ended otherwise");
            System.exit(0);
        }
    }
}

package dev.carillon.process;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.carillon.ClosedException;
import dev.carillon.Signal;
import dev.carillon.loop.EventLoop;
import dev.carillon.test.ChildExit;
import dev.carillon.test.ChildJvm;
import dev.carillon.test.ChildProcess;
import dev.carillon.test.Deadline;
import dev.carillon.test.Futures;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Watches while the VM exits, also where the loop of a watch sits in the call that ends the VM. */
final class ProcessWatchExitIT {
    // r[verify process.watch-loop-end]
    @ParameterizedTest
    @ValueSource(strings = {"main", "loop"})
    void aShutdownHookLearnsThatNobodyWatchesAnyMoreAndCanStillAskAndSend(String caller) {
        try (ChildProcess parent = Strangers.parent(Strangers.TAKEN)) {
            ChildExit exit = ChildJvm.of(Exits.class)
                    .args(caller, Integer.toString(Strangers.pidOf(parent)))
                    .run(Running.LIMIT);
            assertEquals(
                    List.of("failed: true, alive: true, sent: true", "ended", "another: refused"),
                    exit.stdout(),
                    exit::toString);
            assertEquals(5, exit.code(), exit::toString);
        }
    }

    static final class Exits {
        private Exits() {}

        public static void main(String[] args) {
            EventLoop loop = EventLoop.open().start();
            ProcessWatch watch = ProcessWatch.of(loop, Long.parseLong(args[1]));
            CompletableFuture<@Nullable Void> end = watch.exited();
            Runtime.getRuntime().addShutdownHook(new Thread(() -> {
                boolean failed = Futures.failureOf(end) instanceof ClosedException;
                System.out.println(
                        "failed: " + failed + ", alive: " + watch.isAlive() + ", sent: " + watch.send(Signal.SIGKILL));
                Deadline.after(Running.LIMIT).await("it has ended", () -> !watch.isAlive());
                System.out.println("ended");
                try (ProcessWatch another =
                        ProcessWatch.of(loop, ProcessHandle.current().pid())) {
                    System.out.println("another: " + another);
                } catch (RejectedExecutionException refused) {
                    System.out.println("another: refused");
                }
            }));
            Runnable exit = () -> System.exit(5);
            if (args[0].equals("loop")) {
                loop.execute(exit);
            } else {
                exit.run();
            }
        }
    }
}

package dev.carillon.process;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.carillon.ClosedException;
import dev.carillon.Signal;
import dev.carillon.loop.EventLoop;
import dev.carillon.test.ChildExit;
import dev.carillon.test.ChildJvm;
import dev.carillon.test.ChildProcess;
import dev.carillon.test.Deadline;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Children that go on when the last loop has ended. */
final class LoopEndIT {
    // r[verify process.loop-end]
    @ParameterizedTest
    @ValueSource(strings = {"", "-Dcarillon.without=pidfd_open"})
    void aShutdownHookBehindOursStillSeesAndEndsChildren(String property) {
        ChildJvm vm = ChildJvm.of(EndsChildrenLate.class);
        try (ChildProcess child = (property.isEmpty() ? vm : vm.vmFlags(property)).start()) {
            ChildExit exit = child.awaitExit(Running.LIMIT);
            List<String> each = List.of("alive", "told late: ClosedException", "sent", "ended", "not sent");
            assertEquals(
                    List.of("shared loop", String.join(", ", each), "own loop", String.join(", ", each)),
                    exit.stdout(),
                    exit::toString);
            assertEquals(5, exit.code(), exit::toString);
        }
    }

    /** Ends its children when all loops have ended. */
    static final class EndsChildrenLate {
        private EndsChildrenLate() {}

        public static void main(String[] args) {
            Child onShared = Spawn.command("sleep", "100").start();
            EventLoop own = EventLoop.open().start();
            Child onOwn = Spawn.command("sleep", "100").start(own);
            Runtime.getRuntime().addShutdownHook(new Thread(() -> {
                end("shared loop", onShared);
                end("own loop", onOwn);
            }));
            System.exit(5);
        }

        private static void end(String name, Child child) {
            System.out.println(name);
            Deadline.after(Running.LIMIT)
                    .await("the loop has left the child", () -> child.exit().isDone());
            StringBuilder line = new StringBuilder(child.isAlive() ? "alive" : "not alive");
            child.onExit((status, failure) ->
                    line.append(failure instanceof ClosedException ? ", told late: ClosedException" : ", told"));
            line.append(child.send(Signal.SIGTERM) ? ", sent" : ", not sent");
            Deadline.after(Running.LIMIT).await("the child has ended", () -> !child.isAlive());
            line.append(", ended").append(child.send(Signal.SIGTERM) ? ", sent" : ", not sent");
            System.out.println(line);
        }
    }
}

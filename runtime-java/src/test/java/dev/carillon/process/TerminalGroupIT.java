package dev.carillon.process;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.carillon.Signal;
import dev.carillon.SignalSet;
import dev.carillon.loop.EventLoop;
import dev.carillon.signal.SignalService;
import dev.carillon.test.ChildExit;
import dev.carillon.test.ChildJvm;
import dev.carillon.test.ChildProcess;
import dev.carillon.test.Programs;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Ctrl-C at a real terminal. */
final class TerminalGroupIT {
    // r[verify process.group]
    @Test
    void theKeysOfATerminalReachOurGroupOnly() {
        Programs.need("script");
        try (ChildProcess vm = ChildJvm.of(AtTerminal.class).atTerminal().start()) {
            vm.awaitLine("started", Running.LIMIT);
            vm.writeLine("\u0003");
            ChildExit exit = vm.awaitExit(Running.LIMIT);
            // A terminal ends lines by \r\n, and shows what is typed, at any place.
            List<String> lines = exit.stdout().stream()
                    .map(line -> line.replace("^C", "").strip())
                    .filter(line -> !line.isEmpty())
                    .toList();
            String survived = ": alive true, then terminated by SIGTERM";
            assertEquals(
                    List.of("plain: terminated by SIGINT", "own group" + survived, "own session" + survived),
                    lines.subList(lines.size() - 3, lines.size()),
                    exit::toString);
            assertEquals(0, exit.code(), exit::toString);
        }
    }

    /** Stays itself, and says which child the terminal has interrupted. */
    static final class AtTerminal {
        private AtTerminal() {}

        public static void main(String[] args) {
            try (EventLoop loop = EventLoop.open().start()) {
                SignalService.attach(loop, SignalSet.of(Signal.SIGINT));
                Child plain = Spawn.command("sleep", "100").start(loop);
                Child group = Spawn.command("sleep", "100").ownGroup().start(loop);
                Child session = Spawn.command("sleep", "100").ownSession().start(loop);
                System.out.println("started");
                System.out.println("plain: " + Running.exitOf(plain));
                System.out.println("own group: " + stateOf(group));
                System.out.println("own session: " + stateOf(session));
            }
        }

        /** The terminal sends to all in one step, so what was to come has come; SIGINT, the lower one, would be first. */
        private static String stateOf(Child child) {
            boolean isAlive = child.isAlive();
            child.send(Signal.SIGTERM);
            return "alive " + isAlive + ", then " + Running.exitOf(child);
        }
    }
}

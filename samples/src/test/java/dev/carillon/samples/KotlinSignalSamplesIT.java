package dev.carillon.samples;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.test.ChildExit;
import dev.carillon.test.ChildJvm;
import dev.carillon.test.ChildProcess;
import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class KotlinSignalSamplesIT {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    // r[verify kt.await-signal]
    @Test
    void eachSignalIsPrintedWithItsSenderAndTermEnds() {
        try (ChildProcess child = ChildJvm.of(AwaitSignalKt.class).start()) {
            child.awaitLine("pid=" + child.pid(), PATIENCE);
            for (String signal : List.of("HUP", "USR1", "TERM")) {
                long sender = child.send(signal);
                child.awaitLine("SIG" + signal + " from pid " + sender + ", uid ", PATIENCE);
            }
            ChildExit exit = child.awaitExit(PATIENCE);
            assertEquals(0, exit.code(), exit::toString);
            assertTrue(exit.stdout().get(0).startsWith("pid="), exit::toString);
        }
    }

    @Test
    void ctrlCEndsItAsCleanly() {
        try (ChildProcess child = ChildJvm.of(AwaitSignalKt.class).start()) {
            child.awaitLine("pid=" + child.pid(), PATIENCE);
            long sender = child.send("INT");
            ChildExit exit = child.awaitExit(PATIENCE);
            assertEquals(0, exit.code(), exit::toString);
            assertEquals(List.of(), exit.stderr(), exit::toString);
            assertTrue(exit.stdout().get(1).startsWith("SIGINT from pid " + sender), exit::toString);
        }
    }

    // r[verify kt.process]
    @Test
    void childrenThatDieAreReplacedAndTermEndsAll() {
        try (ChildProcess supervisor =
                ChildJvm.of(SupervisorKt.class).args("sleep", "1000").start()) {
            long first = pidOf(supervisor, "child 1 is pid ");
            pidOf(supervisor, "child 2 is pid ");
            pidOf(supervisor, "child 3 is pid ");
            assertTrue(ProcessHandle.of(first).orElseThrow().destroyForcibly());
            supervisor.awaitLine("child 1 ended: terminated by SIGKILL", PATIENCE);
            Pattern another = Pattern.compile("child 1 is pid (?!" + first + "$)");
            String line = supervisor.awaitLine(another, PATIENCE);
            long second = Long.parseLong(line.substring(line.lastIndexOf(' ') + 1));
            assertTrue(ProcessHandle.of(second).isPresent());
            long sender = supervisor.send("TERM");
            supervisor.awaitLine("SIGTERM from pid " + sender + ": ending the children", PATIENCE);
            supervisor.awaitLine("all children have ended", PATIENCE);
            assertEquals(0, supervisor.awaitExit(PATIENCE).code());
            assertFalse(ProcessHandle.of(second).isPresent());
        }
    }

    private static long pidOf(ChildProcess supervisor, String line) {
        return Long.parseLong(supervisor.awaitLine(line, PATIENCE).substring(line.length()));
    }
}

package dev.carillon.samples;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.test.ChildExit;
import dev.carillon.test.ChildJvm;
import dev.carillon.test.ChildProcess;
import dev.carillon.test.Deadline;
import dev.carillon.test.proc.Children;
import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The sample shm-flow. */
class ShmFlowIT {
    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final Pattern RATE = Pattern.compile(
            "[1-9]\\d* frames/s collected, at most 32 ahead; the sender waited [1-9]\\d* % of the time");

    @Test
    void whoCollectsSlowlySlowsDownTheSenderAndTermEndsBoth() {
        try (ChildProcess flow =
                ChildJvm.of("dev.carillon.samples.ShmFlowKt").args("100").start()) {
            long guest = guestOf(flow);
            flow.awaitLine(RATE, LIMIT);
            flow.send("TERM");
            ChildExit exit = flow.awaitExit(LIMIT);
            exit.assertPrinted("SIGTERM: ending");
            exit.assertPrinted("the guest has left");
            assertEquals(0, exit.code(), exit::toString);
            assertEquals(List.of(), exit.stderr(), exit::toString);
            assertTrue(Children.hasEnded(guest));
        }
    }

    @Test
    void itEndsWithItsGuestAndTheGuestWithIt() {
        try (ChildProcess flow = ChildJvm.of("dev.carillon.samples.ShmFlowKt").start()) {
            long guest = guestOf(flow);
            flow.awaitLine(RATE, LIMIT);
            assertTrue(ProcessHandle.of(guest).orElseThrow().destroyForcibly());
            ChildExit exit = flow.awaitExit(LIMIT);
            exit.assertPrinted("the guest has ended by itself");
            assertEquals(0, exit.code(), exit::toString);
        }
        try (ChildProcess flow = ChildJvm.of("dev.carillon.samples.ShmFlowKt").start()) {
            long guest = guestOf(flow);
            flow.awaitLine(RATE, LIMIT);
            flow.send("KILL");
            Deadline.after(LIMIT).await("the guest has ended", () -> Children.hasEnded(guest));
        }
    }

    private static long guestOf(ChildProcess flow) {
        String line = flow.awaitLine("flow pid=" + flow.pid() + " guest pid=", LIMIT);
        return Long.parseLong(line.substring(line.lastIndexOf('=') + 1));
    }
}

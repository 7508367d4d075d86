package dev.carillon.samples;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.test.ChildExit;
import dev.carillon.test.ChildJvm;
import dev.carillon.test.ChildProcess;
import dev.carillon.test.Deadline;
import dev.carillon.test.proc.Children;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The samples shm-host and shm-guest. */
class ShmHostIT {
    private static final Duration LIMIT = Duration.ofSeconds(60);

    @TempDir
    private Path folder;

    @Test
    void theHostAsksItsGuestsAndAllEndInGoodOrder() {
        Path directory = folder.resolve("host");
        try (ChildProcess host =
                ChildJvm.of(ShmHost.class).args("1", directory.toString()).start()) {
            host.awaitLine("host pid=" + host.pid(), LIMIT);
            String spawned = host.awaitLine("guest 1 pid=", LIMIT);
            try (ChildProcess guest =
                    ChildJvm.of(ShmGuest.class).args(directory.toString()).start()) {
                assertServes(host, guest);
            }
            long pid = Long.parseLong(spawned.substring(spawned.indexOf('=') + 1));
            assertTrue(ProcessHandle.of(pid).isEmpty());
            assertFalse(Files.exists(directory));
        }
    }

    @Test
    void guestsEndWhenTheirHostIsKilled() {
        Path directory = folder.resolve("host");
        try (ChildProcess host =
                ChildJvm.of(ShmHost.class).args("1", directory.toString()).start()) {
            String spawned = host.awaitLine("guest 1 pid=", LIMIT);
            try (ChildProcess guest =
                    ChildJvm.of(ShmGuest.class).args(directory.toString()).start()) {
                host.awaitLine("guest 2 pid=" + guest.pid(), LIMIT);
                host.send("KILL");
                ChildExit left = guest.awaitExit(LIMIT);
                assertEquals(0, left.code(), left::toString);
            }
            long pid = Long.parseLong(spawned.substring(spawned.indexOf('=') + 1));
            Deadline.after(LIMIT).await("the other guest has ended", () -> Children.hasEnded(pid));
        }
    }

    @Test
    void aGuestThatIsKilledGetsASuccessorWithItsNumber() {
        try (ChildProcess host = ChildJvm.of(ShmHost.class).args("2").start()) {
            String first = host.awaitLine("guest 1 pid=", LIMIT);
            long killed = Long.parseLong(first.substring(first.indexOf('=') + 1));
            host.awaitLine(Pattern.compile("[1-9]\\d* answers/s from 2 guests"), LIMIT);
            ProcessHandle.of(killed).orElseThrow().destroyForcibly();
            host.awaitLine("guest 1 pid=" + killed + " died", LIMIT);
            String next = host.awaitLine(Pattern.compile("guest 1 pid=(?!" + killed + "\\b)\\d+"), LIMIT);
            long successor = Long.parseLong(next.substring(next.indexOf('=') + 1));
            host.awaitLine(Pattern.compile("[1-9]\\d* answers/s from 2 guests"), LIMIT);
            host.send("TERM");
            ChildExit exit = host.awaitExit(LIMIT);
            exit.assertPrinted("SIGTERM: all guests have left");
            assertEquals(0, exit.code(), exit::toString);
            assertTrue(ProcessHandle.of(successor).isEmpty());
        }
    }

    private static void assertServes(ChildProcess host, ChildProcess guest) {
        host.awaitLine("guest 2 pid=" + guest.pid(), LIMIT);
        host.awaitLine(Pattern.compile("[1-9]\\d* answers/s from 2 guests"), LIMIT);
        host.send("TERM");
        ChildExit exit = host.awaitExit(LIMIT);
        exit.assertPrinted("SIGTERM: all guests have left");
        assertEquals(0, exit.code(), exit::toString);
        ChildExit left = guest.awaitExit(LIMIT);
        assertEquals(0, left.code(), left::toString);
    }
}

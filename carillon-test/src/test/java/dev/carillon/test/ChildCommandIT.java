package dev.carillon.test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.test.proc.Children;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.OptionalInt;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class ChildCommandIT {
    private static final Duration SOON = Duration.ofSeconds(20);
    private static final Duration TOO_SHORT = Duration.ofMillis(100);
    private static final int USR1 = 10;

    @Test
    void environmentAndFolderAreGiven() {
        try (ChildProcess child = ChildCommand.of("sh", "-c", "echo \"$ADDED ${HOME-none} $PWD\"")
                .environment("ADDED", "yes")
                .withoutEnvironment("HOME")
                .workingDirectory(Path.of("/usr"))
                .start()) {
            assertEquals(List.of("yes none /usr"), child.awaitExit(SOON).stdout());
        }
    }

    @Test
    void atATerminalKeysAreTypedAndWordsStayWhole() {
        Programs.need("script");
        String answer =
                "trap 'echo interrupted; exit 3' INT; test -t 0 && printf '<%s>' \"$@\"; echo; while :; do sleep 1; done";
        try (ChildProcess child = ChildCommand.of("sh", "-c", answer, "sh", "it's", "a b", "", "$HOME")
                .atTerminal()
                .start()) {
            child.awaitLine("<it's><a b><><$HOME>", SOON);
            child.writeLine("\u0003");
            child.awaitLine(Pattern.compile("interrupted"), SOON);
            assertEquals(3, child.awaitExit(SOON).code());
        }
    }

    @Test
    void aSignalComesFromThePidThatIsReturned() {
        try (ChildProcess child = ChildCommand.of("sleep", "1000").start()) {
            assertTrue(child.send(USR1) > 0);
            ChildExit exit = child.awaitExit(SOON);
            assertEquals(OptionalInt.of(USR1), exit.signal());
            assertEquals("exit code 138, as after SIGUSR1 (10)", exit.toString());
        }
    }

    @Test
    void aSignalThatDoesNotExistFailsWithWhatKillSays() {
        try (ChildProcess child = ChildCommand.of("sleep", "1000").start()) {
            AssertionError failure = assertThrows(AssertionError.class, () -> child.send("NONSENSE"));
            assertTrue(failure.toString().contains("Cannot send NONSENSE to pid " + child.pid()), failure.toString());
        }
    }

    @Test
    void aChildThatDoesNotEndFailsTheWaitAndShowsItsOutput() {
        try (ChildProcess child =
                ChildCommand.of("sh", "-c", "echo begun; exec sleep 1000").start()) {
            child.awaitLine("begun", SOON);
            AssertionError failure = assertThrows(AssertionError.class, () -> child.awaitExit(TOO_SHORT));
            assertTrue(failure.toString().contains("still runs: "), failure.toString());
            assertTrue(failure.toString().contains("sh -c echo begun"), failure.toString());
            assertTrue(failure.toString().contains("--- stdout, 1 lines\nbegun"), failure.toString());
        }
    }

    @Test
    void closingEndsTheDescendantsToo() {
        long grandchild;
        ChildProcess child =
                ChildCommand.of("sh", "-c", "sleep 1000 & echo pid $!; wait").start();
        try (child) {
            grandchild = Long.parseLong(child.awaitLine("pid ", SOON).substring("pid ".length()));
            assertFalse(Children.hasEnded(grandchild));
        }
        assertTrue(Children.hasEnded(grandchild));
        assertFalse(child.isAlive());
    }

    @Test
    void theSameFactTwiceNeedsTwoLines() {
        try (ChildProcess child =
                ChildCommand.of("sh", "-c", "echo tick; echo tick >&2").start()) {
            child.awaitLine("tick", SOON);
            child.awaitLine("tick", SOON);
            assertThrows(AssertionError.class, () -> child.awaitLine("tick", SOON));
        }
    }

    @Test
    void aLineForAChildThatHasEndedFailsWithItsOutput() {
        try (ChildProcess child =
                ChildCommand.of("sh", "-c", "echo gone >&2; exit 3").start()) {
            child.awaitExit(SOON);
            UncheckedIOException failure = assertThrows(UncheckedIOException.class, () -> child.writeLine("hello"));
            assertTrue(failure.toString().contains("exit code 3"), failure.toString());
            assertTrue(failure.toString().contains("\ngone"), failure.toString());
        }
    }

    @Test
    void aProgramThatIsNotThereIsNamed() {
        ChildCommand command = ChildCommand.of("/no/such/program");
        UncheckedIOException failure = assertThrows(UncheckedIOException.class, command::start);
        assertTrue(failure.toString().contains("/no/such/program"), failure.toString());
    }
}

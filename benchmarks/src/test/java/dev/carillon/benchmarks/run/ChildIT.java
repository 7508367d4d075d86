package dev.carillon.benchmarks.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class ChildIT {
    private static final Duration LONG = Duration.ofSeconds(30);
    private static final Duration SHORT = Duration.ofMillis(100);

    @Test
    void anAnswerIsOneLine() throws RunFailure {
        try (Child child = shell("read line; echo \"you said $line\"")) {
            assertEquals("you said hello", child.ask("hello", LONG));
        }
    }

    @Test
    void aChildThatDoesNotAnswerRunsOutOfTime() throws RunFailure {
        try (Child child = shell("read line; read line")) {
            RunFailure failure = assertThrows(RunFailure.class, () -> child.ask("hello", SHORT));
            assertTrue(failure.toString().contains("did not give an answer to 'hello'"), failure.toString());
        }
    }

    @Test
    void theErrorsOfADeadChildAreShown() throws RunFailure {
        try (Child child = shell("read line; echo 'no such luck' >&2; exit 3")) {
            RunFailure failure = assertThrows(RunFailure.class, () -> child.ask("hello", LONG));
            assertTrue(failure.toString().contains("exit code 3"), failure.toString());
            assertTrue(failure.toString().contains("no such luck"), failure.toString());
        }
    }

    @Test
    void aFailureAtTheEndIsAFailure() throws RunFailure {
        try (Child child = shell("echo done; exit 4")) {
            assertEquals("done", child.read("a line", LONG).text());
            RunFailure failure = assertThrows(RunFailure.class, () -> child.awaitEnd(LONG));
            assertTrue(failure.toString().contains("exit code 4"), failure.toString());
        }
    }

    @Test
    void aProgramThatIsNotThereIsAFailure() {
        assertThrows(RunFailure.class, () -> Child.start("nobody", List.of("/nowhere/at/all")));
    }

    private static Child shell(String script) throws RunFailure {
        return Child.start("shell", List.of("/bin/sh", "-c", script));
    }
}

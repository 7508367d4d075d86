package dev.carillon.lifecycle;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.test.ChildExit;
import dev.carillon.test.ChildJvm;
import dev.carillon.test.ChildProcess;
import dev.carillon.test.Programs;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Ctrl+C as people press it: a key at a terminal, which makes the signal. */
// r[verify life.double-tap] r[verify life.real]
final class TerminalIT {
    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final String CTRL_C = "\u0003";
    private static final Pattern HINT = Pattern.compile("Press Ctrl\\+C again within 3600s to force quit");

    private static final Pattern HANGING = Pattern.compile("hanging|foreign hook hangs");
    private static final int ATTEMPTS = 3;

    /** How many times as long as the hint and the end of any program together, at most. */
    private static final int PROMPT = 10;

    @BeforeEach
    void aTerminalIsThere() {
        Programs.need("script");
    }

    private static ChildProcess ready(Class<?> program, String... mode) {
        ChildProcess child = ChildJvm.of(program).args(mode).atTerminal().start();
        child.awaitLine("ready", LIMIT);
        return child;
    }

    /** How long the same machine takes for the Ctrl+C of a program that has no lifecycle, and ends by it. */
    private static Duration plainEnd() {
        try (ChildProcess child = ready(Plain.class)) {
            long typed = System.nanoTime();
            child.writeLine(CTRL_C);
            ChildExit exit = child.awaitExit(LIMIT);
            assertEquals(130, exit.code(), exit::toString);
            return since(typed);
        }
    }

    /** A machine that is busy elsewhere may be late now and then, and is not late each time. */
    @ParameterizedTest
    @ValueSource(strings = {"hangs", "spins", "foreign hook hangs"})
    void theSecondCtrlCEndsItAtOnceWhateverHangs(String mode) {
        StringBuilder figures = new StringBuilder("Ctrl+C twice, " + mode + ":");
        boolean isPrompt = false;
        for (int attempt = 0; attempt < ATTEMPTS && !isPrompt; attempt++) {
            isPrompt = endsPromptly(mode, figures);
        }
        System.out.println(figures);
        assertTrue(isPrompt, figures::toString);
    }

    private static boolean endsPromptly(String mode, StringBuilder figures) {
        Duration plain = plainEnd();
        try (ChildProcess child = ready(LifecycleIT.Service.class, mode)) {
            long typed = System.nanoTime();
            child.writeLine(CTRL_C);
            child.awaitLine(HINT, LIMIT);
            Duration hinted = since(typed);
            child.awaitLine(HANGING, LIMIT);
            typed = System.nanoTime();
            child.writeLine(CTRL_C);
            ChildExit exit = child.awaitExit(LIMIT);
            Duration forced = since(typed);
            assertEquals(130, exit.code(), exit::toString);
            figures.append(" the hint after ").append(hinted.toMillis());
            figures.append(" ms, the end after ").append(forced.toMillis());
            figures.append(" ms, that of a program without a lifecycle after ").append(plain.toMillis());
            figures.append(" ms.");
            return forced.compareTo(hinted.plus(plain).multipliedBy(PROMPT)) < 0;
        }
    }

    private static Duration since(long then) {
        return Duration.ofNanos(System.nanoTime() - then);
    }

    @Test
    void theFirstCtrlCRunsTheHooksAndLeavesWith130() {
        try (ChildProcess child = ready(LifecycleIT.Service.class, "plain")) {
            child.writeLine(CTRL_C);
            ChildExit exit = child.awaitExit(LIMIT);
            assertEquals(130, exit.code(), exit::toString);
            assertTrue(
                    exit.stdout().stream().anyMatch(line -> line.contains("hook of another library")), exit::toString);
        }
    }

    /** Any program of Java. */
    static final class Plain {
        public static void main(String[] args) throws InterruptedException {
            System.out.println("ready");
            new CountDownLatch(1).await();
        }
    }
}

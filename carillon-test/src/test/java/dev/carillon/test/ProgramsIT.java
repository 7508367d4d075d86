package dev.carillon.test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class ProgramsIT {
    private static final String MISSING =
            "missing program: no-such-program; on Debian: apt-get install no-such-program";

    @Test
    void aProgramThatIsThereIsEnough() {
        Programs.need("sh");
    }

    @Test
    void whereAProgramIsMissingTheTestIsSkippedAndSaysIt() {
        assertEquals(
                "TestAbortedException: " + MISSING,
                outcome(ChildJvm.of(Needing.class).withoutEnvironment("CI")));
    }

    @Test
    void inContinuousIntegrationItFails() {
        String outcome = outcome(ChildJvm.of(Needing.class).environment("CI", "true"));
        assertTrue(outcome.startsWith("AssertionFailedError: " + MISSING), outcome);
    }

    private static String outcome(ChildJvm vm) {
        ChildExit exit = vm.run(Duration.ofSeconds(30));
        return exit.stdout().get(exit.stdout().size() - 1);
    }

    static final class Needing {
        public static void main(String[] args) {
            try {
                Programs.need("no-such-program");
            } catch (RuntimeException | AssertionError outcome) {
                System.out.println(outcome.getClass().getSimpleName() + ": " + outcome.getMessage());
            }
        }
    }
}

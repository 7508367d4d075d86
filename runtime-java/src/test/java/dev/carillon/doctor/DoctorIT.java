package dev.carillon.doctor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.lifecycle.SignalCatalog;
import dev.carillon.test.ChildCommand;
import dev.carillon.test.ChildExit;
import dev.carillon.test.ChildJvm;
import dev.carillon.test.Jdk;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The doctor as a program: what it answers to its words, and where it cannot write. */
class DoctorIT {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @ParameterizedTest
    @CsvSource({"--json extra, extra", "extra --json, extra", "--jason, --jason", "--json --json, --json"})
    void theWordThatIsTooMuchIsNamed(String words, String named) {
        ChildExit exit =
                run(ChildJvm.of(CarillonDoctor.class).args(words.split(" ")).command());
        assertEquals(2, exit.code(), exit::toString);
        assertEquals(List.of(), exit.stdout());
        assertEquals(
                "carillon doctor: unknown option " + named + "; there is only --json, once",
                exit.stderr().get(0));
    }

    @Test
    void theCatalogOfSignalsIsPrintedForPeople() {
        ChildExit exit = run(ChildJvm.of(CarillonDoctor.class).args("signals").command());
        assertEquals(0, exit.code(), exit::toString);
        assertEquals(11, exit.stdout().size(), exit::toString);
        assertTrue(
                exit.stdout().get(1).matches("SIGTERM +15 +143 +30 s +graceful_shutdown +CTRL_CLOSE_EVENT"),
                exit::toString);
        assertTrue(exit.stdout().get(7).matches("SIGUSR1 +10 +138 +- +custom +http_admin_endpoint"), exit::toString);
    }

    // r[verify life.catalog]
    @Test
    void theCatalogOfSignalsIsPrintedForPrograms() {
        ChildExit exit =
                run(ChildJvm.of(CarillonDoctor.class).args("signals", "--json").command());
        assertEquals(0, exit.code(), exit::toString);
        assertEquals(SignalCatalog.toJson(), String.join("\n", exit.stdout()) + "\n");
    }

    @Test
    void aWordTooMuchAfterSignalsIsNamed() {
        ChildExit exit =
                run(ChildJvm.of(CarillonDoctor.class).args("signals", "--all").command());
        assertEquals(2, exit.code(), exit::toString);
        assertEquals(List.of("carillon signals: unknown option --all; there is only --json, once"), exit.stderr());
    }

    @Test
    void aReportThatCannotBeWrittenIsNotASuccess() {
        List<String> command = new ArrayList<>(List.of("sh", "-c", "exec \"$@\" >/dev/full", "sh"));
        command.addAll(ChildJvm.of(CarillonDoctor.class).command());
        ChildExit exit = run(command);
        assertEquals(3, exit.code(), exit::toString);
        assertTrue(exit.stderr().get(0).startsWith("carillon doctor: the report could not be written"), exit::toString);
    }

    /** The VM warns once, and counts native access as enabled from then on. */
    @Test
    void nativeAccessThatNoOptionEnabledIsNoted() {
        Jdk jdk = Jdk.second().orElse(Jdk.current());
        Assumptions.assumeTrue(jdk.feature() >= 24, "native access is to be enabled from JDK 24 on");
        List<String> command =
                new ArrayList<>(ChildJvm.of(CarillonDoctor.class).jdk(jdk).command());
        command.remove("--enable-native-access=ALL-UNNAMED");
        ChildExit exit = run(command);
        assertTrue(
                exit.stdout().stream().anyMatch(line -> line.matches("NOTE +native-access +not enabled")),
                exit::toString);
    }

    private static ChildExit run(List<String> command) {
        return ChildCommand.of(command.toArray(String[]::new)).run(PATIENCE);
    }
}

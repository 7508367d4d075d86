package dev.carillon.doctor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.doctor.Check.Level;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LimitChecksTest {
    private static final String LIMITS = """
            Limit                     Soft Limit           Hard Limit           Units
            Max open files            1024                 1048576              files
            Max locked memory         unlimited            unlimited            bytes
            Max pending signals       95717                95717                signals
            """;

    @TempDir
    private Path root;

    @Test
    void lowLimitsAreNotedAndUnlimitedIsFine() {
        var checks = LimitChecks.run(
                new MachineFiles(root).with("/proc/self/limits", LIMITS).machine());
        assertEquals(Level.NOTE, MachineFiles.named(checks, "nofile").level());
        assertEquals("1024", MachineFiles.named(checks, "nofile").found());
        String advice = String.valueOf(MachineFiles.named(checks, "nofile").advice());
        assertTrue(advice.contains("each watched child and each asynchronous bell takes two"), advice);
        assertEquals(Level.OK, MachineFiles.named(checks, "memlock").level());
        assertEquals(Level.OK, MachineFiles.named(checks, "sigpending").level());
    }

    @Test
    void aMachineWithoutLimitsAndSharedMemoryIsNotedAndNoCrash() {
        for (Check check : LimitChecks.run(new Machine(root))) {
            assertEquals(Level.NOTE, check.level(), check.toString());
        }
    }
}

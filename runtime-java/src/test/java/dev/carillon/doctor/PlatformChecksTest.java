package dev.carillon.doctor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.doctor.Check.Level;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PlatformChecksTest {
    private MachineFiles files;

    @BeforeEach
    void aGoodMachine(@TempDir Path root) {
        files = new MachineFiles(root)
                .with("/proc/sys/kernel/osrelease", "6.1.0-18-amd64\n")
                .with("/proc/self/maps", "7f00 r-xp 00 08:01 1  /usr/lib/x86_64-linux-gnu/libc.so.6\n");
    }

    private Check check(String name) {
        return MachineFiles.named(PlatformChecks.run(files.machine(), "amd64", Runtime.version()), name);
    }

    @Test
    void aGoodMachineIsAllOk() {
        for (Check check : PlatformChecks.run(files.machine(), "amd64", Runtime.version())) {
            assertEquals(Level.OK, check.level(), check.toString());
        }
    }

    @Test
    void aKernelBefore54IsAProblem() {
        files.with("/proc/sys/kernel/osrelease", "5.3.18-default");
        assertEquals(Level.PROBLEM, check("kernel").level());
        files.with("/proc/sys/kernel/osrelease", "5.4.0");
        assertEquals(Level.OK, check("kernel").level());
        files.with("/proc/sys/kernel/osrelease", "4.19.0");
        assertEquals(Level.PROBLEM, check("kernel").level());
    }

    @Test
    void aStrangeKernelReleaseIsANoteAndNoCrash() {
        files.with("/proc/sys/kernel/osrelease", "custom");
        assertEquals(Level.NOTE, check("kernel").level());
    }

    @Test
    void muslIsAProblemThatNamesTheWayOut() {
        files.with("/proc/self/maps", "7f00 r-xp 00 08:01 1  /lib/ld-musl-x86_64.so.1\n");
        Check check = check("libc");
        assertEquals(Level.PROBLEM, check.level());
        assertTrue(String.valueOf(check.advice()).contains("glibc"), check.toString());
    }

    @Test
    void anUnknownArchitectureIsAProblemAndAarch64ANote() {
        assertEquals(Level.PROBLEM, architecture("riscv64").level());
        assertEquals(Level.NOTE, architecture("aarch64").level());
    }

    @Test
    void aJdkBefore17IsAProblem() {
        var checks = PlatformChecks.run(files.machine(), "amd64", Runtime.Version.parse("11.0.2"));
        assertEquals(Level.PROBLEM, MachineFiles.named(checks, "jdk").level());
    }

    private Check architecture(String name) {
        return MachineFiles.named(PlatformChecks.run(files.machine(), name, Runtime.version()), "architecture");
    }
}

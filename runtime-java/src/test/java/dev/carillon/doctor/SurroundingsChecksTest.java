package dev.carillon.doctor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.doctor.Check.Level;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SurroundingsChecksTest {
    private static final String MOUNTS = "22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/root rw\n";
    private MachineFiles files;

    @BeforeEach
    void aPlainMachine(@TempDir Path root) {
        files = new MachineFiles(root)
                .with("/proc/self/status", "PPid:\t77\nNSpid:\t4711\nSeccomp:\t0\n")
                .with("/proc/77/comm", "systemd\n")
                .with("/proc/self/mountinfo", MOUNTS);
    }

    private Check check(String name) {
        return MachineFiles.named(SurroundingsChecks.run(files.machine(), "/tmp", true), name);
    }

    @Test
    void aPlainMachineIsAllOk() {
        for (Check check : SurroundingsChecks.run(files.machine(), "/tmp", true)) {
            assertEquals(Level.OK, check.level(), check.toString());
        }
    }

    @Test
    void aShellAsPidOneInFrontOfUsIsNoted() {
        files.with("/proc/self/status", "PPid:\t1\nNSpid:\t7\nSeccomp:\t0\n").with("/proc/1/comm", "sh\n");
        Check check = check("parent");
        assertEquals(Level.NOTE, check.level());
        assertTrue(String.valueOf(check.advice()).contains("exec"), check.toString());
    }

    @Test
    void aLoginShellThatIsNotPidOneIsNothingToNote() {
        files.with("/proc/77/comm", "bash\n");
        assertEquals(Level.OK, check("parent").level());
    }

    @Test
    void beingPidOneOfANamespaceIsNoted() {
        files.with("/proc/self/status", "PPid:\t0\nNSpid:\t4711\t1\nSeccomp:\t2\n")
                .with("/.dockerenv", "");
        Check check = check("container");
        assertEquals(Level.NOTE, check.level());
        assertTrue(check.found().contains("PID 1") && check.found().contains("in a container"), check.toString());
        assertEquals(Level.NOTE, check("seccomp").level());
    }

    @Test
    void aPidThatMerelyEndsInOneIsNotPidOne() {
        files.with("/proc/self/status", "PPid:\t77\nNSpid:\t4711\t21\n");
        assertEquals(Level.OK, check("container").level());
    }

    @Test
    void aTemporaryFolderWithoutExecIsAProblemForJnaOnly() {
        files.with("/proc/self/mountinfo", MOUNTS + "30 22 0:30 / /tmp rw,noexec,nosuid - tmpfs tmpfs rw\n");
        Check jna = check("tmp");
        assertEquals(Level.PROBLEM, jna.level());
        assertTrue(String.valueOf(jna.advice()).contains("jna.tmpdir"), jna.toString());
        var ffm = SurroundingsChecks.run(files.machine(), "/tmp", false);
        assertEquals(Level.OK, MachineFiles.named(ffm, "tmp").level());
    }

    @Test
    void aMountBelowAnotherNameDoesNotCount() {
        files.with("/proc/self/mountinfo", MOUNTS + "30 22 0:30 / /tm rw,noexec - tmpfs tmpfs rw\n");
        assertEquals(Level.OK, check("tmp").level());
    }
}

package dev.carillon.doctor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.Availability;
import dev.carillon.doctor.Check.Level;
import dev.carillon.sys.Feature;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NativeChecksTest {
    private static final Availability THERE = Availability.available("system calls");

    @TempDir
    private Path root;

    @Test
    void thisMachineAnswersEveryProbeOneWayOrTheOther() {
        List<Check> checks = NativeChecks.run(Machine.real());
        assertEquals(Feature.values().length + 2, checks.size(), checks.toString());
        assertEquals(Level.OK, MachineFiles.named(checks, "futex").level());
    }

    @Test
    void withoutSystemCallsThereIsOneProblemAndNoProbe() {
        Availability none = Availability.unavailable("system calls", new UnsatisfiedLinkError("no such library"));
        List<Check> checks = NativeChecks.run(new Machine(root), none, "none", feature -> {
            throw new AssertionError("probed " + feature);
        });
        assertEquals(1, checks.size());
        assertEquals(Level.PROBLEM, checks.get(0).level());
        assertTrue(checks.get(0).found().contains("no such library"), checks.toString());
    }

    @Test
    void aMissingFeatureIsANoteThatSaysWhatComesInItsPlace() {
        Check uring = withoutUring(new Machine(root));
        assertEquals(Level.NOTE, uring.level());
        assertEquals("io_uring_setup failed: EPERM (1)", uring.found());
        assertTrue(String.valueOf(uring.advice()).contains("loops run on epoll"), uring.toString());
    }

    // r[verify memory.guard]
    @Test
    void aGuardThatIsMissingIsANoteThatSaysWhatComesInItsPlace() {
        Check missing = NativeChecks.faultGuard(
                Availability.unavailable("fault_guard", new UnsupportedOperationException("on another machine")));
        assertEquals(Level.NOTE, missing.level());
        assertEquals("on another machine", missing.found());
        assertTrue(String.valueOf(missing.advice()).contains("cost a system call each"), missing.toString());
        assertEquals(
                Level.OK,
                NativeChecks.faultGuard(Availability.available("fault_guard")).level());
    }

    @Test
    void anIoUringThatIsSwitchedOffNamesTheSwitch() {
        Machine off = new MachineFiles(root)
                .with("/proc/sys/kernel/io_uring_disabled", "2\n")
                .machine();
        assertTrue(String.valueOf(withoutUring(off).advice()).contains("kernel.io_uring_disabled=0"));
    }

    private static Check withoutUring(Machine machine) {
        List<Check> checks = NativeChecks.run(
                machine,
                THERE,
                "jna: forced",
                feature -> feature == Feature.IO_URING
                        ? Availability.unavailable(
                                "io_uring", new UnsupportedOperationException("io_uring_setup failed: EPERM (1)"))
                        : THERE);
        return MachineFiles.named(checks, "io_uring");
    }
}

package dev.carillon.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.carillon.Signal;
import dev.carillon.test.Programs;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What posix_spawn cannot do, done by a program that becomes the other one; see docs/children.md. */
// r[verify process.prefix]
final class WaysAroundIT extends ChildCase {
    @TempDir
    private Path folder;

    private List<String> linesOf(List<String> prefix, String... command) {
        List<String> words = new ArrayList<>(prefix);
        words.addAll(List.of(command));
        return Running.linesOf(Spawn.command(words), loop);
    }

    @Test
    void aShellSetsTheUmask() throws Exception {
        Path file = folder.resolve("a file");
        linesOf(List.of("sh", "-c", "umask 027; exec \"$0\" \"$@\""), "touch", file.toString());
        assertEquals("rw-r-----", PosixFilePermissions.toString(Files.getPosixFilePermissions(file)));
    }

    @Test
    void prlimitSetsLimits() {
        Programs.need("prlimit");
        assertEquals(List.of("99"), linesOf(List.of("prlimit", "--nofile=99:100", "--"), "sh", "-c", "ulimit -n"));
        assertEquals(
                List.of("0"), linesOf(List.of("sh", "-c", "ulimit -c 0; exec \"$0\" \"$@\""), "sh", "-c", "ulimit -c"));
    }

    @Test
    void niceLowersThePriority() {
        int ours = Integer.parseInt(linesOf(List.of(), "nice").get(0));
        int lower = Math.min(19, ours + 3);
        assertEquals(List.of(Integer.toString(lower)), linesOf(List.of("nice", "-n", "3"), "nice"));
    }

    @Test
    void setprivChangesTheUser() throws Exception {
        Programs.need("setpriv");
        assumeTrue(isRoot(), "only root may change its user");
        assertEquals(
                List.of("65534 65533"),
                linesOf(
                        List.of("setpriv", "--reuid=65534", "--regid=65533", "--clear-groups", "--"),
                        "sh",
                        "-c",
                        "echo $(id -u) $(id -G)"));
    }

    @Test
    void chrootChangesTheRoot() throws Exception {
        Programs.need("chroot");
        assumeTrue(isRoot(), "only root may change its root");
        // The root that is there already: another one would need programs of its own.
        assertEquals(List.of("/"), linesOf(List.of("chroot", "--userspec=65534:65533", "/"), "pwd"));
        assertTrue(linesOf(List.of("chroot", "--userspec=65534:65533", "/"), "id", "-u")
                .contains("65534"));
    }

    @Test
    void setprivHasAChildKilledWithItsParent() {
        Programs.need("setpriv");
        List<String> lines = linesOf(
                List.of("setpriv", "--pdeathsig=KILL", "--"),
                "python3",
                "-c",
                "import ctypes; v=ctypes.c_int();" + "ctypes.CDLL(None).prctl(2, ctypes.byref(v)); print(v.value)");
        assertEquals(List.of("9"), lines);
    }

    /** The prefix becomes the program: pid, signals and end are those of the program itself. */
    @Test
    void theChildIsTheProgramAndNotItsPrefix() {
        List<String> lines = linesOf(List.of("nice", "-n", "0", "prlimit", "--core=0", "--"), "sh", "-c", "echo $$");
        assertEquals(1, lines.size());
        Child child = Spawn.command("nice", "sh", "-c", "exec sleep 100").start(loop);
        child.kill();
        assertEquals(Signal.SIGKILL, Running.exitOf(child).signal());
    }

    private static boolean isRoot() throws Exception {
        return Files.getAttribute(Path.of("/proc/self"), "unix:uid").equals(0);
    }
}

package dev.carillon.process;

import static dev.carillon.process.Running.exitOf;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.Signal;
import dev.carillon.test.Seeded;
import dev.carillon.test.proc.Descriptors;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Many children in a row and at once: nothing piles up. */
final class ManyChildrenIT extends ChildCase {
    private static final int SPAWNS = Boolean.getBoolean("carillon.stress") ? 10_000 : 1_000;
    private static final int WARM_UP = 200;

    /** The heap may grow up to what it pleases; memory that each child would leave behind shows anyway. */
    private static final long SLACK_KIB = 48 * 1_024;

    private static int count(String folder) {
        return Objects.requireNonNull(new File(folder).list()).length;
    }

    private static long residentKib() throws Exception {
        System.gc();
        return Files.readAllLines(Path.of("/proc/self/status")).stream()
                .filter(line -> line.startsWith("VmRSS:"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
                .findFirst()
                .orElseThrow();
    }

    @Test
    @Timeout(240)
    void descriptorsThreadsAndMemoryStayFlat() throws Exception {
        spawn(WARM_UP);
        int descriptors = Descriptors.count();
        int threads = count("/proc/self/task");
        long memory = residentKib();
        long start = System.nanoTime();
        spawn(SPAWNS);
        long each = (System.nanoTime() - start) / SPAWNS;
        long grown = residentKib() - memory;
        System.out.println(SPAWNS + " spawns, " + each / 1_000 + " us each; descriptors " + descriptors + " to "
                + Descriptors.count() + ", threads " + threads + " to " + count("/proc/self/task")
                + ", memory "
                + memory + " to " + (memory + grown) + " KiB");
        assertTrue(Descriptors.count() <= descriptors + 2, () -> "descriptors=" + Descriptors.count());
        assertTrue(count("/proc/self/task") <= threads + 2, () -> "threads=" + count("/proc/self/task"));
        assertTrue(grown < SLACK_KIB, () -> "memory grew by " + grown + " KiB");
    }

    private void spawn(int times) {
        Spawn.Builder command = Spawn.command("true").stdin(Stdio.pipe()).stdout(Stdio.nothing());
        for (int i = 0; i < times; i++) {
            try (Child child = command.start(loop)) {
                assertTrue(exitOf(child).isSuccess());
            }
        }
    }

    @Test
    void failedStartsLeaveNothing() {
        Spawn.Builder command =
                Spawn.command("no-such-bell").stdin(Stdio.pipe()).stdout(Stdio.pipe());
        assertThrows(SpawnException.class, () -> command.start(loop));
        int descriptors = Descriptors.count();
        for (int i = 0; i < 200; i++) {
            assertThrows(SpawnException.class, () -> command.start(loop));
        }
        dev.carillon.test.Deadline.after(Running.LIMIT)
                .await("the pipes are closed", () -> Descriptors.count() <= descriptors + 1);
    }

    // r[verify process.exit]
    @Test
    void ofManyAtOnceEachIsToldItsOwnEnd(@Seeded SplittableRandom random) {
        List<Child> children = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            children.add(Spawn.command("sleep", "100").start(loop));
        }
        for (int i = children.size() - 1; i >= 0; i--) {
            int at = random.nextInt(children.size());
            Child child = children.remove(at);
            Signal signal = random.nextBoolean() ? Signal.SIGKILL : Signal.SIGTERM;
            assertTrue(child.send(signal));
            assertEquals(signal, exitOf(child).signal());
            assertTrue(children.stream().allMatch(Child::isAlive));
        }
    }
}

package dev.carillon.process;

import static dev.carillon.process.Running.exitOf;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.Signal;
import dev.carillon.test.Deadline;
import dev.carillon.test.Seeded;
import dev.carillon.test.proc.Descriptors;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Many children in a row and at once: nothing piles up. */
final class ManyChildrenIT extends ChildCase {
    private static final int SPAWNS = Boolean.getBoolean("carillon.stress") ? 10_000 : 1_000;
    private static final int WARM_UP = 200;
    private static final int ROUNDS = 5;

    /** The heap may grow up to what it pleases; memory that each child would leave behind shows anyway. */
    private static final long SLACK_KIB = 48 * 1_024;

    /** Those of Java: the VM has its own for compiling and for garbage, as many as it pleases. */
    private static int threads() {
        return Thread.getAllStackTraces().size();
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
        int threads = threads();
        long grown = Long.MAX_VALUE;
        // The heap and the compiler take more at times; what each child leaves behind shows in each round.
        for (int round = 0; round < ROUNDS && grown >= SLACK_KIB; round++) {
            long memory = residentKib();
            long start = System.nanoTime();
            spawn(SPAWNS);
            long each = (System.nanoTime() - start) / SPAWNS;
            grown = residentKib() - memory;
            System.out.println(SPAWNS + " spawns, " + each / 1_000 + " us each; descriptors " + descriptors + " to "
                    + Descriptors.count() + ", threads " + threads + " to " + threads() + ", memory " + memory + " to "
                    + (memory + grown) + " KiB");
        }
        Deadline.after(Running.LIMIT).await("descriptors are closed", () -> Descriptors.count() <= descriptors + 2);
        Deadline.after(Running.LIMIT).await("threads have ended", () -> threads() <= threads + 2);
        assertTrue(grown < SLACK_KIB, "memory grew by " + grown + " KiB, at best");
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
        Deadline.after(Running.LIMIT).await("the pipes are closed", () -> Descriptors.count() <= descriptors + 1);
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

package dev.carillon.loop.queue;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.test.ChildExit;
import dev.carillon.test.ChildJvm;
import dev.carillon.test.ChildProcess;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.openjdk.jcstress.annotations.State;

/**
 * Runs jcstress, which starts VMs of its own: two threads meet on the shipped classes some million times, in code that
 * is interpreted and compiled in several ways.
 *
 * <p>By default one set of VM flags, for a few seconds; with {@code -Pstress} all that jcstress knows, for minutes.
 */
@Timeout(1_800)
final class QueueRacesIT {
    private static final boolean STRESS = Boolean.getBoolean("carillon.stress");

    @TempDir
    Path folder;

    // r[verify loop.wakeup] r[verify loop.stop]
    @Test
    void noOrderOfMemoryAccessesLosesAPost() {
        ChildExit exit = run(QueueRaces.class, STRESS);
        assertEquals(0, exit.code(), () -> results(exit));
        for (Class<?> race : tests(QueueRaces.class)) {
            assertTrue(has(exit, "[OK] ", race), () -> race + " was not run, " + results(exit));
            assertFalse(has(exit, "[FAILED] ", race), () -> results(exit));
        }
        System.out.println("jcstress: " + results(exit));
    }

    /** That what we look for can be seen, on this machine and in this time. */
    @Test
    void plantedRacesAreFound() {
        Set<Class<?>> missing = new LinkedHashSet<>(tests(PlantedRaces.class));
        // Two threads meet on a race only if both have a processor; where others take those, it takes longer.
        for (int millis = 50; !missing.isEmpty() && millis <= 6_400; millis *= 2) {
            ChildExit exit = run(PlantedRaces.class, false, millis);
            assertTrue(exit.stdout().stream().anyMatch(line -> line.contains("(Results:")), () -> results(exit));
            missing.removeIf(planted -> has(exit, "[FAILED] ", planted));
            int used = millis;
            missing.forEach(
                    planted -> System.out.println(planted + " was not found in " + used + " ms, " + results(exit)));
        }
        assertEquals(Set.of(), missing);
    }

    private ChildExit run(Class<?> races, boolean longer) {
        return run(races, longer, 50);
    }

    private ChildExit run(Class<?> races, boolean longer, int millis) {
        List<String> arguments = new ArrayList<>(List.of("-v", "-r", folder.toString(), "-t", races.getName() + "\\."));
        if (longer) {
            arguments.addAll(List.of("-m", "quick"));
        } else {
            arguments.addAll(List.of("-m", "sanity", "-f", "1", "-time", Integer.toString(millis), "-iters", "2"));
            arguments.addAll(List.of("-strideSize", "256", "-strideCount", "40"));
            // Instead of every set of flags that jcstress knows.
            arguments.addAll(List.of("-jvmArgs", "-XX:+UseSerialGC", "-sc", "false"));
        }
        try (ChildProcess child = ChildJvm.of("org.openjdk.jcstress.Main")
                .workingDirectory(folder)
                .args(arguments.toArray(String[]::new))
                .start()) {
            return child.awaitExit(Duration.ofMinutes(longer ? 25 : 3));
        }
    }

    private static List<Class<?>> tests(Class<?> races) {
        List<Class<?>> tests = Stream.of(races.getDeclaredClasses())
                .filter(nested -> nested.isAnnotationPresent(State.class))
                .toList();
        assertFalse(tests.isEmpty());
        return tests;
    }

    private static boolean has(ChildExit exit, String verdict, Class<?> race) {
        String line = verdict + race.getName().replace('$', '.');
        return exit.stdout().stream().anyMatch(printed -> printed.endsWith(line));
    }

    /** The last line of figures, and what went wrong. */
    private static String results(ChildExit exit) {
        String figures = exit.stdout().stream()
                .filter(line -> line.contains("(Results:"))
                .reduce("no results", (before, line) -> line);
        return figures.strip() + String.join("\n", exit.stderr());
    }
}

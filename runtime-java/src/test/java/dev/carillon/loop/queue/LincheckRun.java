package dev.carillon.loop.queue;

import dev.carillon.test.ChildExit;
import dev.carillon.test.ChildJvm;
import dev.carillon.test.ChildProcess;
import java.time.Duration;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.StressOptions;

/**
 * Compares a structure with its model by Lincheck: random scenarios, many interleavings of each.
 *
 * <p>In a VM of its own: Lincheck loads an agent that rewrites classes, those of the JDK too, and other tests count the
 * bytes and nanoseconds that ours need.
 */
final class LincheckRun {
    private static final boolean STRESS = Boolean.getBoolean("carillon.stress");
    private static final Duration LIMIT = Duration.ofMinutes(STRESS ? 15 : 5);
    private static final int SCENARIOS = STRESS ? 200 : 10;
    private static final int INTERLEAVINGS = STRESS ? 5_000 : 300;

    private LincheckRun() {}

    /** How a comparison ended: exit code 0, or what was printed about the difference. */
    static ChildExit of(Class<?> structure, Class<?> model) {
        ChildJvm child = ChildJvm.of(LincheckRun.class)
                .vmFlags("-Dcarillon.stress=" + STRESS)
                .args(structure.getName(), model.getName());
        if (Runtime.version().feature() >= 21) {
            child.vmFlags("-XX:+EnableDynamicAgentLoading");
        }
        if (Runtime.version().feature() >= 24) {
            child.vmFlags("--sun-misc-unsafe-memory-access=allow");
        }
        try (ChildProcess run = child.start()) {
            return run.awaitExit(LIMIT);
        }
    }

    public static void main(String[] args) throws ClassNotFoundException {
        Class<?> structure = Class.forName(args[0]);
        Class<?> model = Class.forName(args[1]);
        long start = System.nanoTime();
        new ModelCheckingOptions()
                .threads(3)
                .actorsPerThread(2)
                .actorsBefore(2)
                .actorsAfter(2)
                .iterations(SCENARIOS)
                .invocationsPerIteration(INTERLEAVINGS)
                .sequentialSpecification(model)
                .check(structure);
        new StressOptions()
                .threads(2)
                .actorsPerThread(4)
                .actorsBefore(2)
                .actorsAfter(2)
                .iterations(SCENARIOS)
                .invocationsPerIteration(INTERLEAVINGS)
                .sequentialSpecification(model)
                .check(structure);
        System.out.println(structure.getSimpleName() + ": " + SCENARIOS + " scenarios with up to " + INTERLEAVINGS
                + " interleavings each, twice, in " + (System.nanoTime() - start) / 1_000_000 + " ms");
    }
}

package dev.carillon.benchmarks.run;

import dev.carillon.benchmarks.worker.Figures;
import dev.carillon.benchmarks.worker.Stage;
import dev.carillon.benchmarks.worker.Work;
import dev.carillon.benchmarks.worker.Workload;
import java.util.Map;

/** Works whose figures are known beforehand. */
public final class TestWorkload implements Workload {
    @Override
    public Map<String, Opener> works() {
        return Map.of(
                "ten-nanos", stage -> (ops, figures) -> figures.nanos(10 * ops),
                "counting", CountingRounds::new,
                "core", stage -> (ops, figures) -> figures.value(stage.first()),
                "samples", stage -> TestWorkload::samples,
                "failing",
                        stage -> (ops, figures) -> {
                            throw new IllegalStateException("this work\nfails");
                        },
                "impossible",
                        stage -> {
                            throw new UnsupportedOperationException("not on this host");
                        },
                "dying", stage -> (ops, figures) -> Runtime.getRuntime().halt(7));
    }

    private static void samples(long ops, Figures figures) {
        for (long i = 1; i <= ops; i++) {
            figures.nanos(i);
        }
    }

    /** Tells a work that was opened again from one that stayed open. */
    private static final class CountingRounds implements Work {
        private int rounds;

        CountingRounds(Stage stage) {}

        @Override
        public void round(long ops, Figures figures) {
            figures.value(++rounds);
        }
    }
}

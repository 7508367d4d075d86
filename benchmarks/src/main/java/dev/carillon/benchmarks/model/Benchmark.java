package dev.carillon.benchmarks.model;

import java.util.List;

/**
 * Cases that belong together: one chart, and one worker for each variant.
 *
 * @param name one word, what the command line takes
 * @param description one line
 * @param cases in the order in which they run
 */
public record Benchmark(String name, String description, List<Case> cases) {
    /** Copies the cases and checks that their names differ. */
    public Benchmark {
        cases = List.copyOf(cases);
        long names = cases.stream().map(Case::name).distinct().count();
        if (names != cases.size()) {
            throw new IllegalArgumentException("benchmark=" + name + " has two cases of one name");
        }
    }
}

package dev.carillon.benchmarks.run;

import dev.carillon.benchmarks.model.Benchmark;
import dev.carillon.benchmarks.model.Case;
import dev.carillon.benchmarks.model.Placement;
import dev.carillon.benchmarks.model.Variant;
import dev.carillon.benchmarks.report.CaseResult;
import dev.carillon.benchmarks.stats.HostState;
import dev.carillon.benchmarks.stats.Rotation;
import dev.carillon.benchmarks.stats.Steadiness;
import dev.carillon.benchmarks.stats.Summary;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Runs cases: every round runs every variant once, so that drift of the host hits all alike.
 *
 * <p><b>Threading</b>: one thread; only one worker works at a time, the others wait in a read.
 */
public final class Harness implements AutoCloseable {
    private final Toolbox tools;
    private final Progress progress;
    private final int rounds;
    private final int warmUps;
    private final boolean smoke;
    private @Nullable HostProbe probe;
    private boolean failed;

    /** Runs with so many rounds after so many that are thrown away; a smoke run does few operations and no probe. */
    public Harness(Toolbox tools, Progress progress, int rounds, int warmUps, boolean smoke) {
        this.tools = tools;
        this.progress = progress;
        this.rounds = rounds;
        this.warmUps = warmUps;
        this.smoke = smoke;
    }

    /** Returns whether anything went wrong so far: a variant that failed, not one that this host can't run. */
    public boolean failed() {
        return failed;
    }

    /** Runs the cases of a benchmark that are wanted, with one worker for each variant. */
    public List<CaseResult> run(Benchmark benchmark, Predicate<Case> wanted) {
        List<CaseResult> results = new ArrayList<>();
        try (Runners runners = new Runners(tools)) {
            for (Case subject : benchmark.cases().stream().filter(wanted).toList()) {
                results.add(run(benchmark.name(), subject, runners));
            }
        }
        return results;
    }

    @Override
    public void close() {
        if (probe != null) {
            probe.close();
        }
    }

    private CaseResult run(String bench, Case subject, Runners runners) {
        Map<Variant, List<double[]>> figures = new LinkedHashMap<>();
        subject.variants().forEach(variant -> figures.put(variant, new ArrayList<>()));
        List<String> notes = new ArrayList<>();
        List<HostState> states = new ArrayList<>();
        if (subject.placement() == Placement.TWO_CORES && !tools.cores().two()) {
            figures.clear();
            notes.add("left out: it needs two cores");
        }
        String name = bench + "/" + subject.name();
        progress.caseStarts(name, rounds, warmUps);
        for (int round = 0; round < warmUps + rounds && !figures.isEmpty(); round++) {
            progress.round(name, round, warmUps + rounds);
            boolean counts = round >= warmUps;
            if (counts) {
                look(states, notes);
            }
            for (Variant variant : Rotation.order(List.copyOf(figures.keySet()), round)) {
                List<double[]> own = figures.get(variant);
                double[] result = oneRound(subject, variant, runners, notes);
                if (result == null || own == null) {
                    figures.remove(variant);
                } else if (counts) {
                    own.add(result);
                }
            }
        }
        look(states, notes);
        figures.keySet().forEach(variant -> finish(subject, variant, runners, notes));
        progress.caseEnds();
        return summarise(bench, subject, figures, states, notes);
    }

    private double @Nullable [] oneRound(Case subject, Variant variant, Runners runners, List<String> notes) {
        try {
            Runner runner = runners.get(variant);
            runner.place(subject.placement());
            long ops = smoke ? subject.smokeOps() : subject.ops();
            return inUnit(subject, runner.round(subject.work(), ops), ops);
        } catch (Skipped e) {
            notes.add(variant.name() + " left out: " + e.getMessage());
        } catch (RunFailure e) {
            failed(variant, e, notes);
            runners.drop(variant);
        }
        return null;
    }

    private void finish(Case subject, Variant variant, Runners runners, List<String> notes) {
        try {
            runners.get(variant).finish(subject.work());
        } catch (Skipped e) {
            throw new IllegalStateException("variant=" + variant.name() + " ran and can't be started now", e);
        } catch (RunFailure e) {
            failed(variant, e, notes);
            runners.drop(variant);
        }
    }

    private void failed(Variant variant, RunFailure e, List<String> notes) {
        failed = true;
        notes.add(variant.name() + " FAILED: " + e.getMessage());
    }

    private static double[] inUnit(Case subject, double[] numbers, long ops) throws RunFailure {
        double[] figures = new double[numbers.length];
        for (int i = 0; i < figures.length; i++) {
            figures[i] = switch (subject.measure()) {
                case TOTAL -> subject.unit().ofTotal(numbers[i], ops);
                case SAMPLES -> subject.unit().ofTotal(numbers[i], 1);
                case VALUE -> numbers[i];
            };
            if (!Double.isFinite(figures[i])) {
                throw new RunFailure("work " + subject.work() + " took " + numbers[i] + " ns for " + ops + " ops");
            }
        }
        return figures;
    }

    private CaseResult summarise(
            String bench,
            Case subject,
            Map<Variant, List<double[]>> figures,
            List<HostState> states,
            List<String> notes) {
        boolean[] counts = Steadiness.roundsThatCount(states);
        Map<String, Summary> summaries = new LinkedHashMap<>();
        int discarded = 0;
        for (boolean count : counts) {
            discarded += count ? 0 : 1;
        }
        figures.forEach((variant, own) -> {
            List<double[]> kept = new ArrayList<>();
            for (int round = 0; round < own.size(); round++) {
                if (smoke || counts[round]) {
                    kept.add(own.get(round));
                }
            }
            summaries.put(variant.name(), Summary.of(subject.unit(), kept));
        });
        return new CaseResult(bench, subject, summaries, figures.isEmpty() ? 0 : rounds, discarded, notes);
    }

    private void look(List<HostState> states, List<String> notes) {
        if (smoke) {
            return;
        }
        try {
            if (probe == null) {
                probe = new HostProbe(tools.cores());
            }
            states.add(probe.look());
        } catch (RunFailure e) {
            // Not the usual state, whatever that is: the rounds on both sides of it won't count.
            states.add(new HostState(Double.POSITIVE_INFINITY, Double.POSITIVE_INFINITY));
            notes.add(e.getMessage());
        }
    }
}

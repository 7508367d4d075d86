package dev.carillon.benchmarks.worker;

import java.util.Collection;
import java.util.regex.Pattern;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/**
 * A method of a JMH benchmark as a work, whose figure is the garbage of one call, in bytes.
 *
 * <p>JMH runs it in this very VM: the worker is a process of its own already. The operations of a round are the
 * milliseconds that JMH measures, after as many for its warm-up. As many come after that and do not count: JMH tears the
 * benchmark down within its last iteration, and what a close leaves is no garbage of the calls.
 */
public final class JmhGarbage implements Work {
    /** The name of the figure; JMH before 1.37 put a dot in front of it. */
    private static final String BYTES_PER_CALL = "gc.alloc.rate.norm";

    private final String method;

    private JmhGarbage(String method) {
        this.method = method;
    }

    /** Returns how a method of a benchmark class is opened as a work. */
    public static Workload.Opener of(Class<?> benchmark, String method) {
        return stage -> new JmhGarbage(benchmark.getName() + "." + method);
    }

    @Override
    public void round(long ops, Figures figures) throws RunnerException {
        Collection<RunResult> results = new Runner(new OptionsBuilder()
                        .include("^" + Pattern.quote(method) + "$")
                        .mode(Mode.AverageTime)
                        .forks(0)
                        .warmupIterations(1)
                        .warmupTime(TimeValue.milliseconds(ops))
                        .measurementIterations(2)
                        .measurementTime(TimeValue.milliseconds(ops))
                        .addProfiler(GCProfiler.class)
                        .shouldFailOnError(true)
                        .verbosity(VerboseMode.SILENT)
                        .build())
                .run();
        for (RunResult result : results) {
            figures.value(garbage(result));
        }
    }

    private static double garbage(RunResult result) {
        IterationResult first = result.getBenchmarkResults()
                .iterator()
                .next()
                .getIterationResults()
                .iterator()
                .next();
        Result<?> garbage = first.getSecondaryResults().get(BYTES_PER_CALL);
        if (garbage == null) {
            throw new IllegalStateException("JMH said nothing about " + BYTES_PER_CALL + ", only "
                    + first.getSecondaryResults().keySet());
        }
        return garbage.getScore();
    }
}

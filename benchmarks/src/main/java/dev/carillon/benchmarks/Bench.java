package dev.carillon.benchmarks;

import dev.carillon.benchmarks.model.Benchmark;
import dev.carillon.benchmarks.model.Case;
import dev.carillon.benchmarks.report.CaseResult;
import dev.carillon.benchmarks.report.JsonWriter;
import dev.carillon.benchmarks.report.Machine;
import dev.carillon.benchmarks.report.Report;
import dev.carillon.benchmarks.report.SvgChart;
import dev.carillon.benchmarks.report.TableWriter;
import dev.carillon.benchmarks.run.Harness;
import dev.carillon.benchmarks.run.Jdks;
import dev.carillon.benchmarks.run.Progress;
import dev.carillon.benchmarks.run.Toolbox;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The command line of the benchmarks.
 *
 * <p>The exit status says whether everything ran: 0 if so, whatever the figures; 1 if something failed or gave no
 * figures; 2 if the command line made no sense.
 */
public final class Bench {
    private static final int WARM_UPS = 5;

    private Bench() {}

    /** Runs what the arguments ask for. */
    public static void main(String[] args) throws IOException {
        System.exit(run(args));
    }

    static int run(String... args) throws IOException {
        BenchOptions options;
        try {
            options = BenchOptions.parse(args);
            requireKnown(options);
        } catch (IllegalArgumentException e) {
            System.err.println("bench: " + e.getMessage() + "\n\n" + BenchOptions.USAGE);
            return 2;
        }
        if (options.list()) {
            System.out.print(Catalog.text());
            return 0;
        }
        return measure(options, Toolbox.find());
    }

    private static int measure(BenchOptions options, Toolbox tools) throws IOException {
        Progress progress = Progress.standard();
        int rounds = options.smoke() ? 1 : options.rounds();
        int warmUps = options.smoke() ? 0 : WARM_UPS;
        List<CaseResult> results = new ArrayList<>();
        boolean complete = true;
        try (Harness harness = new Harness(tools, progress, rounds, warmUps, options.smoke())) {
            for (Benchmark benchmark : Catalog.ALL) {
                List<CaseResult> own = harness.run(benchmark, subject -> options.wants(benchmark, subject));
                boolean asked = benchmark.cases().stream().anyMatch(subject -> options.wants(benchmark, subject));
                complete &= !asked
                        || own.stream().anyMatch(result -> !result.summaries().isEmpty());
                results.addAll(own);
            }
            complete &= !harness.failed();
        }
        Report report = new Report(machine(tools.jdks()), options.smoke(), results);
        System.out.println();
        System.out.print(TableWriter.write(report));
        complete &= save(options.json().orElse(tools.scratch().resolve("last.json")), JsonWriter.write(report));
        if (options.charts().isPresent()) {
            complete &= draw(options.charts().get(), report);
        }
        if (!complete) {
            System.err.println("bench: not everything ran; see the notes above");
        }
        return complete ? 0 : 1;
    }

    private static Machine machine(Jdks jdks) throws IOException {
        String second = jdks.second().map(home -> home.version().toString()).orElse("none");
        return Machine.here(jdks.main().version().toString(), second);
    }

    private static boolean draw(Path folder, Report report) {
        boolean complete = true;
        for (Benchmark benchmark : Catalog.ALL) {
            List<CaseResult> own = report.results().stream()
                    .filter(result -> result.bench().equals(benchmark.name()))
                    .filter(result -> !result.summaries().isEmpty())
                    .toList();
            if (!own.isEmpty()) {
                String chart = SvgChart.draw(
                        benchmark.description(), own, report.machine().line());
                complete &= save(folder.resolve(benchmark.name() + ".svg"), chart);
            }
        }
        return complete;
    }

    /** What took minutes to measure is printed before; a full disk costs the file only. */
    static boolean save(Path file, String text) {
        try {
            Files.createDirectories(file.toAbsolutePath().getParent());
            Files.writeString(file, text);
            return true;
        } catch (IOException e) {
            System.err.println("bench: " + file + " could not be written (" + e + "); the table above has the figures."
                    + " Make room, or give another file");
            return false;
        }
    }

    private static void requireKnown(BenchOptions options) {
        for (String name : options.names()) {
            BenchOptions alone = BenchOptions.parse(name);
            if (Catalog.ALL.stream().noneMatch(b -> b.cases().stream().anyMatch((Case c) -> alone.wants(b, c)))) {
                throw new IllegalArgumentException(
                        "no benchmark or case '" + name + "'; there are:\n" + Catalog.text());
            }
        }
    }
}

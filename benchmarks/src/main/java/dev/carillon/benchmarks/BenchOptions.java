package dev.carillon.benchmarks;

import dev.carillon.benchmarks.model.Benchmark;
import dev.carillon.benchmarks.model.Case;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What the command line asks for.
 *
 * @param names benchmarks, or cases as {@code benchmark/first words of the case}; empty for all
 * @param list whether only to list what there is
 * @param smoke whether only to try that everything runs
 * @param rounds how many rounds count
 * @param json where to write the results
 * @param charts the folder to draw charts in
 */
record BenchOptions(
        List<String> names, boolean list, boolean smoke, int rounds, Optional<Path> json, Optional<Path> charts) {
    static final String USAGE = """
            Usage: bench [NAME...] [--smoke] [--json FILE] [--charts DIR] [--rounds N] [--list]

              NAME         a benchmark, or one of its cases as BENCHMARK/CASE (its first words do); default: all
              --smoke      run each once, with few operations: the figures mean nothing
              --json FILE  write the results there (default: bench/last.json in benchmarks/target)
              --charts DIR draw a chart of each benchmark there, as SVG
              --rounds N   rounds that count (default 21)
              --list       list the benchmarks and their cases
            """;

    private static final int ROUNDS = 21;

    static BenchOptions parse(String... args) {
        List<String> names = new ArrayList<>();
        boolean list = false;
        boolean smoke = false;
        int rounds = ROUNDS;
        Optional<Path> json = Optional.empty();
        Optional<Path> charts = Optional.empty();
        for (int i = 0; i < args.length; i++) {
            switch (args[i]) {
                case "--list" -> list = true;
                case "--smoke" -> smoke = true;
                case "--rounds" -> rounds = positive(value(args, ++i));
                case "--json" -> json = Optional.of(Path.of(value(args, ++i)));
                case "--charts" -> charts = Optional.of(Path.of(value(args, ++i)));
                default -> names.add(name(args[i]));
            }
        }
        return new BenchOptions(List.copyOf(names), list, smoke, rounds, json, charts);
    }

    /** Returns whether a case of a benchmark is wanted. */
    boolean wants(Benchmark benchmark, Case subject) {
        return names.isEmpty() || names.stream().anyMatch(name -> names(name, benchmark.name(), subject.name()));
    }

    private static boolean names(String name, String benchmark, String subject) {
        return name.contains("/") ? (benchmark + "/" + subject).startsWith(name) : name.equals(benchmark);
    }

    private static String name(String arg) {
        if (arg.startsWith("-")) {
            throw new IllegalArgumentException("unknown option " + arg);
        }
        return arg;
    }

    private static String value(String[] args, int index) {
        if (index >= args.length) {
            throw new IllegalArgumentException(args[index - 1] + " needs a value");
        }
        return args[index];
    }

    private static int positive(String text) {
        try {
            int number = Integer.parseInt(text);
            if (number > 0) {
                return number;
            }
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("--rounds needs a number, not '" + text + "'", e);
        }
        throw new IllegalArgumentException("--rounds needs a number above 0, not " + text);
    }
}

package dev.carillon.benchmarks.report;

import dev.carillon.benchmarks.model.Measure;
import dev.carillon.benchmarks.stats.Summary;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The table that a run prints. */
public final class TableWriter {
    private static final List<String> HEADER =
            List.of("bench", "case", "variant", "median", "p99", "unit", "x c", "x peer", "goal", "");
    /** From here on columns hold numbers, which stand on the right. */
    private static final int FIRST_NUMBER = 3;

    private TableWriter() {}

    /** Returns the table, the notes below it, and the lines about machine and method. */
    public static String write(Report report) {
        List<List<String>> lines = new ArrayList<>();
        lines.add(HEADER);
        report.results().forEach(result -> addCase(lines, result, report.outcomes(result)));
        StringBuilder out = new StringBuilder();
        int[] widths = widths(lines);
        for (List<String> line : lines) {
            out.append(pad(line, widths)).append('\n');
        }
        for (CaseResult result : report.results()) {
            for (String note : result.notes()) {
                String where = result.bench() + "/" + result.subject().name();
                out.append("note: ").append(where).append(": ").append(note).append('\n');
            }
        }
        out.append(report.machine().line()).append('\n');
        out.append(report.roundsLine());
        out.append(". p99 is over rounds");
        if (report.results().stream().anyMatch(r -> r.subject().measure() == Measure.SAMPLES)) {
            out.append("; in the cases marked *, over samples");
        }
        out.append(report.smoke() ? ". A smoke run: these figures mean nothing.\n" : ".\n");
        return out.toString();
    }

    private static void addCase(List<List<String>> lines, CaseResult result, List<GoalOutcome> outcomes) {
        for (Map.Entry<String, Summary> row : result.summaries().entrySet()) {
            String variant = row.getKey();
            List<GoalOutcome> own =
                    outcomes.stream().filter(o -> o.variant().equals(variant)).toList();
            String mark = result.subject().measure() == Measure.SAMPLES ? " *" : "";
            List<String> line = new ArrayList<>(List.of(
                    result.bench(),
                    result.subject().name() + mark,
                    variant,
                    Numbers.figure(row.getValue().median()),
                    Numbers.figure(row.getValue().p99()),
                    result.subject().unit().label(),
                    Numbers.ratio(result.ratioToC(variant)),
                    Numbers.ratio(result.ratioToBestPeer(variant))));
            line.addAll(own.isEmpty() ? List.of("", "") : goalCells(own.get(0)));
            lines.add(line);
            for (GoalOutcome more : own.subList(Math.min(1, own.size()), own.size())) {
                List<String> rest = new ArrayList<>(List.of("", "", "", "", "", "", "", ""));
                rest.addAll(goalCells(more));
                lines.add(rest);
            }
        }
    }

    private static List<String> goalCells(GoalOutcome outcome) {
        return List.of(outcome.goal(), outcome.verdict().text());
    }

    private static int[] widths(List<List<String>> lines) {
        int[] widths = new int[HEADER.size()];
        for (List<String> line : lines) {
            for (int i = 0; i < widths.length; i++) {
                widths[i] = Math.max(widths[i], line.get(i).length());
            }
        }
        return widths;
    }

    private static String pad(List<String> line, int[] widths) {
        StringBuilder out = new StringBuilder();
        for (int i = 0; i < widths.length; i++) {
            String cell = line.get(i);
            String space = " ".repeat(widths[i] - cell.length());
            boolean number = i >= FIRST_NUMBER && i < HEADER.size() - 2;
            out.append(i == 0 ? "" : "  ").append(number ? space + cell : cell + space);
        }
        return out.toString().stripTrailing();
    }
}

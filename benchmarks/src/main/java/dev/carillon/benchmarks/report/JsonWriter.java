package dev.carillon.benchmarks.report;

import dev.carillon.benchmarks.report.GoalOutcome.Verdict;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The results as JSON: rows for each variant, and what became of the goals for each case. */
public final class JsonWriter {
    private JsonWriter() {}

    /** Returns one object with {@code machine}, {@code smoke}, {@code discarded}, {@code rows} and {@code cases}. */
    public static String write(Report report) {
        List<String> rows = new ArrayList<>();
        List<String> cases = new ArrayList<>();
        for (CaseResult result : report.results()) {
            String name = result.subject().name();
            result.summaries()
                    .forEach((variant, summary) -> rows.add(object(
                            field("bench", quote(result.bench())),
                            field("case", quote(name)),
                            field("variant", quote(variant)),
                            field("unit", quote(result.subject().unit().label())),
                            field("median", number(summary.median())),
                            field("p99", number(summary.p99())),
                            field("rounds", Integer.toString(summary.rounds())))));
            for (GoalOutcome outcome : report.outcomes(result)) {
                cases.add(object(
                        field("bench", quote(result.bench())),
                        field("case", quote(name)),
                        field("goal", quote(outcome.goal())),
                        field("ratio", number(outcome.ratio().orElse(Double.NaN))),
                        field("met", met(outcome.verdict()))));
            }
        }
        int discarded =
                report.results().stream().mapToInt(CaseResult::discarded).sum();
        return "{\n"
                + " \"machine\": " + machine(report.machine()) + ",\n"
                + " \"smoke\": " + report.smoke() + ",\n"
                + " \"discarded\": " + discarded + ",\n"
                + " \"rows\": " + array(rows) + ",\n"
                + " \"cases\": " + array(cases) + "\n"
                + "}\n";
    }

    private static String machine(Machine machine) {
        return object(
                field("kernel", quote(machine.kernel())),
                field("cpu", quote(machine.cpu())),
                field("cores", Integer.toString(machine.cores())),
                field("jdk", quote(machine.jdk())),
                field("secondJdk", quote(machine.secondJdk())));
    }

    private static String met(Verdict verdict) {
        return switch (verdict) {
            case MET -> "true";
            case MISSED -> "false";
            case UNKNOWN -> "null";
        };
    }

    private static String field(String name, String json) {
        return quote(name) + ": " + json;
    }

    private static String object(String... fields) {
        return "{" + String.join(", ", fields) + "}";
    }

    private static String array(List<String> elements) {
        return elements.isEmpty() ? "[]" : "[\n  " + String.join(",\n  ", elements) + "\n ]";
    }

    /** JSON knows neither NaN nor infinity. */
    static String number(double value) {
        if (Double.isNaN(value) || Double.isInfinite(value)) {
            return "null";
        }
        String text = String.format(Locale.ROOT, "%.4f", value);
        return text.replaceFirst("\\.?0+$", "");
    }

    static String quote(String text) {
        StringBuilder out = new StringBuilder("\"");
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                out.append('\\').append(c);
            } else if (c < ' ') {
                out.append(String.format(Locale.ROOT, "\\u%04x", (int) c));
            } else {
                out.append(c);
            }
        }
        return out.append('"').toString();
    }
}

package dev.carillon.benchmarks.report;

import dev.carillon.benchmarks.model.MeasureUnit;
import dev.carillon.benchmarks.model.Role;
import dev.carillon.benchmarks.stats.Summary;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalDouble;

/**
 * A bar chart of one benchmark: a group for each case, a bar for each variant.
 *
 * <p>Each group has its own scale, since cases of one benchmark may lie orders of magnitude apart; the line across a
 * group stands where C ends, or the best peer. Colours are read from a style sheet that knows light and dark.
 */
public final class SvgChart {
    private static final int WIDTH = 860;
    private static final int NAMES = 170;
    private static final int BARS = 430;
    private static final int BAR = 16;
    private static final int STEP = 21;
    private static final int CASE_TITLE = 24;
    private static final int GAP = 14;
    private static final int MARGIN = 16;
    private static final int TITLE = 30;
    private static final int MACHINE = 26;

    private static final String STYLE = """
            text { font: 13px system-ui, sans-serif; fill: #24292f; }
            .title { font-size: 16px; font-weight: 600; }
            .case { font-weight: 600; }
            .small { font-size: 11px; fill: #57606a; }
            .ours { fill: #2f6fd6; }
            .peer { fill: #b8741a; }
            .yardstick, .base { fill: #7d858f; }
            .reference { stroke: #24292f; stroke-dasharray: 3 3; }
            @media (prefers-color-scheme: dark) {
              text { fill: #e6edf3; }
              .small { fill: #9aa4af; }
              .ours { fill: #5b9bff; }
              .peer { fill: #e0a04a; }
              .yardstick, .base { fill: #8b949e; }
              .reference { stroke: #e6edf3; }
            }
            """;

    private final StringBuilder out = new StringBuilder();
    private int y;

    private SvgChart() {}

    /** Returns the chart as SVG. */
    public static String draw(String title, List<CaseResult> results, String machine) {
        return new SvgChart().chart(title, results, machine);
    }

    private String chart(String title, List<CaseResult> results, String machine) {
        int bars =
                results.stream().mapToInt(result -> result.summaries().size()).sum();
        int height = 2 * MARGIN + TITLE + MACHINE + results.size() * (CASE_TITLE + GAP) + bars * STEP;
        add("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" role=\"img\">"
                .formatted(WIDTH, height, WIDTH, height));
        add("<title>" + escape(title) + "</title>");
        add("<style>" + STYLE + "</style>");
        y = MARGIN + 14;
        text("title", MARGIN, title);
        y += TITLE - 14;
        results.forEach(this::group);
        y += MACHINE - 10;
        text("small", MARGIN, machine);
        add("</svg>");
        return out.toString();
    }

    private void group(CaseResult result) {
        MeasureUnit unit = result.subject().unit();
        String better = unit.lowerIsBetter() ? "shorter is better" : "longer is better";
        y += CASE_TITLE - 6;
        text("case", MARGIN, result.subject().name() + " (" + unit.label() + ", " + better + ")");
        y += 8;
        int top = y;
        double longest = result.summaries().values().stream()
                .mapToDouble(Summary::median)
                .max()
                .orElse(1);
        double scale = longest > 0 ? BARS / longest : 0;
        result.summaries().forEach((variant, summary) -> bar(result, variant, summary, scale));
        reference(result).ifPresent(figure -> line(NAMES + figure * scale, top));
        y += GAP - 2;
    }

    private void bar(CaseResult result, String variant, Summary summary, double scale) {
        double length = Math.max(1, summary.median() * scale);
        String role = result.subject()
                .variant(variant)
                .map(v -> v.role().name().toLowerCase(Locale.ROOT))
                .orElse("peer");
        add("<rect class=\"%s\" x=\"%d\" y=\"%d\" width=\"%s\" height=\"%d\" rx=\"2\"/>"
                .formatted(role, NAMES, y, decimal(length), BAR));
        int top = y;
        y = top + BAR - 3;
        text("", MARGIN, variant);
        text("", NAMES + length + 6, label(result, variant, summary));
        y = top + STEP;
    }

    private static String label(CaseResult result, String variant, Summary summary) {
        String figure =
                Numbers.figure(summary.median()) + " " + result.subject().unit().label();
        OptionalDouble toC = result.ratioToC(variant);
        OptionalDouble toPeer = result.ratioToBestPeer(variant);
        String ratio = toC.isPresent()
                ? ", " + Numbers.ratio(toC) + " x c"
                : toPeer.isPresent() ? ", " + Numbers.ratio(toPeer) + " x best peer" : "";
        return figure + ratio;
    }

    /** Where the reference's bar ends: the variant whose ratio to the reference is 1. */
    private static OptionalDouble reference(CaseResult result) {
        for (Role role : List.of(Role.YARDSTICK, Role.PEER)) {
            for (Map.Entry<String, Summary> row : result.summaries().entrySet()) {
                OptionalDouble ratio =
                        role == Role.YARDSTICK ? result.ratioToC(row.getKey()) : result.ratioToBestPeer(row.getKey());
                if (ratio.isPresent()) {
                    return OptionalDouble.of(row.getValue().median() / ratio.getAsDouble());
                }
            }
        }
        return OptionalDouble.empty();
    }

    private void line(double x, int top) {
        add("<line class=\"reference\" x1=\"%s\" y1=\"%d\" x2=\"%s\" y2=\"%d\"/>"
                .formatted(decimal(x), top - 3, decimal(x), y));
    }

    private void text(String style, double x, String text) {
        String attribute = style.isEmpty() ? "" : " class=\"" + style + "\"";
        add("<text%s x=\"%s\" y=\"%d\">%s</text>".formatted(attribute, decimal(x), y, escape(text)));
    }

    private void add(String element) {
        out.append(element).append('\n');
    }

    private static String decimal(double value) {
        return String.format(Locale.ROOT, "%.1f", value);
    }

    private static String escape(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
    }
}

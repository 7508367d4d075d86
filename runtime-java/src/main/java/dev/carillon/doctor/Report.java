package dev.carillon.doctor;

import dev.carillon.doctor.Check.Level;
import java.util.List;

/** The doctor's findings, for people and for programs. */
record Report(List<Check> checks) {
    /** 1 where something of ours can't work here, else 0: what the process exits with. */
    int exitCode() {
        return checks.stream().anyMatch(c -> c.level() == Level.PROBLEM) ? 1 : 0;
    }

    String toText() {
        int width = checks.stream().mapToInt(c -> c.name().length()).max().orElse(0);
        StringBuilder out = new StringBuilder();
        for (Check check : checks) {
            out.append(String.format("%-8s %-" + width + "s  %s%n", check.level(), check.name(), check.found()));
            if (check.advice() != null) {
                out.append(String.format("%-8s %-" + width + "s  -> %s%n", "", "", check.advice()));
            }
        }
        long problems = count(Level.PROBLEM);
        long notes = count(Level.NOTE);
        return out.append(String.format("%d checks, %d notes, %d problems%n", checks.size(), notes, problems))
                .toString();
    }

    String toJson() {
        StringBuilder out = new StringBuilder("[");
        for (Check check : checks) {
            out.append(out.length() > 1 ? ",\n " : "\n ");
            out.append("{\"name\": ").append(quoted(check.name()));
            out.append(", \"level\": ").append(quoted(check.level().name()));
            out.append(", \"found\": ").append(quoted(check.found()));
            out.append(", \"advice\": ").append(check.advice() == null ? "null" : quoted(check.advice()));
            out.append('}');
        }
        return out.append("\n]\n").toString();
    }

    private long count(Level level) {
        return checks.stream().filter(c -> c.level() == level).count();
    }

    private static String quoted(String text) {
        StringBuilder out = new StringBuilder("\"");
        text.chars().forEach(c -> {
            if (c == '"' || c == '\\') {
                out.append('\\').append((char) c);
            } else if (c < ' ') {
                out.append(String.format("\\u%04x", c));
            } else {
                out.append((char) c);
            }
        });
        return out.append('"').toString();
    }
}

package dev.carillon.guards.tree;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The reviewed list of exceptions to the house rules, {@code guards/exceptions.txt}. A line is
 * {@code KIND NUMBER PATH: why}, where the path of a {@code knot} is a package; {@code #} begins a comment. A line that
 * nothing needs any more is a finding too.
 */
public final class Exceptions {
    public static final String PATH = "guards/exceptions.txt";
    private static final Pattern LINE = Pattern.compile("(suppress|throwable|length|knot) (\\d+) ([^:\\s]+): (\\S.*)");

    private final Map<String, Map<String, Line>> lines = new HashMap<>();
    private final List<Finding> malformed = new ArrayList<>();

    private Exceptions() {}

    private record Line(Finding ifStale, int number) {}

    public static Exceptions read(SourceTree tree) {
        var exceptions = new Exceptions();
        tree.file(PATH).ifPresent(exceptions::read);
        return exceptions;
    }

    /** Lines that cannot be read. */
    public List<Finding> malformed() {
        return malformed;
    }

    /**
     * Compares what is there with what was reviewed: the number in the list must be the number found.
     *
     * @param found the lines where they are, by file; files with none are left out
     */
    public List<Finding> compare(String kind, String what, Map<SourceFile, List<Integer>> found) {
        var findings = new ArrayList<Finding>();
        var reviewed = new TreeMap<>(lines.getOrDefault(kind, Map.of()));
        found.forEach((file, at) -> {
            int number = at.size();
            var line = reviewed.remove(file.path());
            if (line == null || line.number() != number) {
                var allowed = line == null ? "none was reviewed" : line.number() + " reviewed";
                findings.add(Finding.at(
                        file,
                        at.get(0),
                        number + " x " + what + ", " + allowed,
                        "do without, or put this line into " + PATH + " with your reason:  " + kind + " " + number + " "
                                + file.path() + ": WHY"));
            }
        });
        return Stream.concat(findings.stream(), reviewed.values().stream().map(Line::ifStale))
                .toList();
    }

    /** The reviewed number for a path, or another where it has no line. */
    public int number(String kind, String path, int otherwise) {
        var line = lines.getOrDefault(kind, Map.of()).get(path);
        return line == null ? otherwise : line.number();
    }

    /** Lines of a kind whose path is not among those that still need one. */
    public List<Finding> stale(String kind, Collection<String> needed) {
        return lines.getOrDefault(kind, Map.of()).entrySet().stream()
                .filter(line -> !needed.contains(line.getKey()))
                .map(line -> line.getValue().ifStale())
                .toList();
    }

    private void read(SourceFile file) {
        var all = file.lines();
        for (int i = 0; i < all.size(); i++) {
            var text = all.get(i).strip();
            var line = LINE.matcher(text);
            if (line.matches()) {
                var stale =
                        Finding.at(file, i + 1, "nothing needs this exception any more: " + text, "delete the line");
                lines.computeIfAbsent(line.group(1), kind -> new TreeMap<>())
                        .put(line.group(3), new Line(stale, Integer.parseInt(line.group(2))));
            } else if (!text.isEmpty() && !text.startsWith("#")) {
                malformed.add(Finding.at(
                        file, i + 1, "cannot read: " + text, "write  suppress|throwable|length|knot NUMBER PATH: why"));
            }
        }
    }
}

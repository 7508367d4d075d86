package dev.carillon.guards.code;

import dev.carillon.guards.code.Dependencies.Use;
import dev.carillon.guards.code.Graph.Edge;
import dev.carillon.guards.tree.Exceptions;
import dev.carillon.guards.tree.Finding;
import dev.carillon.guards.tree.SourceTree;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Looks for knots: packages that need each other, and classes of one package that all need each other. To change one
 * class of a knot one has to know all of them. A nested class counts as part of its outer one.
 */
final class Knots {
    /** The largest knot of a package without a line in the list of exceptions. */
    static final int LIMIT = 3;

    /** The largest one that a line may allow. */
    static final int HIGHEST = 8;

    private static final String KIND = "knot";
    private static final int SHOWN = 6;

    private final Graph packages = new Graph();
    private final Map<String, Graph> classes = new TreeMap<>();
    private final Map<Edge, List<String>> between = new TreeMap<>(Comparator.comparing(Edge::toString));
    private final Exceptions reviewed;
    private final List<Finding> findings = new ArrayList<>();

    private Knots(Exceptions reviewed) {
        this.reviewed = reviewed;
    }

    static List<Finding> check(SourceTree tree, Map<String, List<Path>> folders) {
        var knots = new Knots(Exceptions.read(tree));
        folders.values().stream()
                .flatMap(all -> Dependencies.of(all).stream())
                .filter(use -> Use.isOurs(use.from()) && Use.isOurs(use.to()))
                .forEach(use -> knots.add(Use.outer(use.from()), Use.outer(use.to())));
        knots.cycles();
        knots.classes.forEach(knots::largest);
        knots.findings.addAll(knots.reviewed.stale(KIND, knots.knotted()));
        return knots.findings;
    }

    private void add(String from, String to) {
        var lower = Use.packageOf(to);
        var upper = Use.packageOf(from);
        classes.computeIfAbsent(upper, name -> new Graph()).node(from);
        if (lower.equals(upper)) {
            classes.computeIfAbsent(upper, name -> new Graph()).edge(from, to);
        } else {
            packages.edge(upper, lower);
            between.computeIfAbsent(new Edge(upper, lower), edge -> new ArrayList<>())
                    .add(shortName(from) + " -> " + shortName(to));
        }
    }

    private void cycles() {
        for (var cycle : packages.knots()) {
            var cut = cycle.stream()
                    .flatMap(name -> packages.within(cycle).edges().stream())
                    .distinct()
                    .filter(edge -> packages.within(cycle)
                                    .keeping(other -> !other.equals(edge))
                                    .largest()
                            < cycle.size())
                    .min(Comparator.comparing(edge -> uses(edge).size()))
                    .orElseGet(() -> packages.within(cycle).edges().get(0));
            findings.add(new Finding(
                    cut.from(),
                    "these packages need each other: " + String.join(", ", cycle),
                    "cut " + cut + ", which is " + some(uses(cut))
                            + ": move the class, or let the lower package declare a narrow type that the upper one"
                            + " implements"));
        }
    }

    private List<String> uses(Edge edge) {
        return between.getOrDefault(edge, List.of()).stream()
                .distinct()
                .sorted()
                .toList();
    }

    private void largest(String name, Graph all) {
        int size = all.largest();
        int allowed = Math.min(HIGHEST, reviewed.number(KIND, name, LIMIT));
        if (size > allowed) {
            var knot = all.within(all.knots().get(0));
            findings.add(new Finding(
                    name,
                    size + " classes all need each other, " + allowed + " are allowed: " + shortNames(knot.nodes()),
                    advice(knot) + review(size, name)));
        } else if (size > LIMIT && size < allowed) {
            findings.add(new Finding(
                    name,
                    "its largest knot has " + size + " classes and its line allows " + allowed,
                    "lower the number in " + Exceptions.PATH + ", so that it never grows back:  " + line(size, name)));
        }
    }

    private static String advice(Graph knot) {
        var cuts = Cuts.of(knot, LIMIT);
        var hub = Cuts.hub(knot);
        return "cut "
                + some(cuts.stream()
                        .map(cut -> shortName(cut.from()) + " -> " + shortName(cut.to()))
                        .toList())
                + " (leaves " + Cuts.without(knot, cuts).largest() + "), or hand the parts of " + shortName(hub)
                + " narrow types, so that none knows it (leaves "
                + Cuts.unknown(knot, hub).largest() + ")";
    }

    private static String review(int size, String name) {
        return size > HIGHEST
                ? "; no review allows more than " + HIGHEST
                : ", or, if it has to be, put this line into " + Exceptions.PATH + " with your reason:  "
                        + line(size, name);
    }

    private static String line(int size, String name) {
        return KIND + " " + size + " " + name + ": WHY";
    }

    /** The packages that need a line. */
    private Set<String> knotted() {
        return classes.entrySet().stream()
                .filter(entry -> entry.getValue().largest() > LIMIT)
                .map(Map.Entry::getKey)
                .collect(Collectors.toSet());
    }

    private static String some(Collection<String> all) {
        return all.stream().limit(SHOWN).collect(Collectors.joining(", "))
                + (all.size() > SHOWN ? " and " + (all.size() - SHOWN) + " more" : "");
    }

    private static String shortNames(Collection<String> types) {
        return types.stream().map(Knots::shortName).collect(Collectors.joining(" "));
    }

    private static String shortName(String type) {
        return type.substring(type.lastIndexOf('.') + 1);
    }
}

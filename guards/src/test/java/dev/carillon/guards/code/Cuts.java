package dev.carillon.guards.code;

import dev.carillon.guards.code.Graph.Edge;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Advice on a knot: which edges to cut, and which node is the one that all others know. */
final class Cuts {
    private static final int MAX_CUTS = 6;

    private Cuts() {}

    /**
     * A few edges whose cut leaves no knot above a limit, or much smaller ones: in each step the one that leaves least.
     */
    static List<Edge> of(Graph knot, int limit) {
        var cuts = new ArrayList<Edge>();
        for (var rest = knot; rest.largest() > limit && cuts.size() < MAX_CUTS; rest = without(rest, cuts)) {
            var now = rest;
            now.edges().stream().min(weight(now)).ifPresent(cuts::add);
        }
        return cuts;
    }

    static Graph without(Graph graph, List<Edge> cuts) {
        return graph.keeping(edge -> !cuts.contains(edge));
    }

    /** The node that leaves least when no other one knows it any more. */
    static String hub(Graph knot) {
        return knot.nodes().stream()
                .min(Comparator.comparing(node -> unknown(knot, node).largest()))
                .orElseThrow();
    }

    static Graph unknown(Graph graph, String node) {
        return graph.keeping(edge -> !edge.to().equals(node));
    }

    /** First what remains; where one edge alone changes nothing, the edge to the node that fewest know. */
    private static Comparator<Edge> weight(Graph graph) {
        var inKnots = graph.knots();
        return Comparator.comparingLong((Edge edge) -> squares(graph.keeping(other -> !other.equals(edge))))
                .thenComparing(edge ->
                        inKnots.stream().noneMatch(knot -> knot.contains(edge.from()) && knot.contains(edge.to())))
                .thenComparingLong(edge -> graph.edges().stream()
                        .filter(other -> other.to().equals(edge.to()))
                        .count());
    }

    private static long squares(Graph graph) {
        return graph.knots().stream()
                .mapToLong(knot -> (long) knot.size() * knot.size())
                .sum();
    }
}

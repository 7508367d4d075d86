package dev.carillon.guards.code;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;

/** What needs what, by name, and its knots: the groups in which each needs every other one, directly or through others. */
final class Graph {
    private final Map<String, NavigableSet<String>> needs = new TreeMap<>();

    /** One names the other. */
    record Edge(String from, String to) {
        @Override
        public String toString() {
            return from + " -> " + to;
        }
    }

    void node(String name) {
        needs.computeIfAbsent(name, key -> new TreeSet<>());
    }

    void edge(String from, String to) {
        node(from);
        node(to);
        if (!from.equals(to)) {
            needs.getOrDefault(from, new TreeSet<>()).add(to);
        }
    }

    Set<String> nodes() {
        return needs.keySet();
    }

    List<Edge> edges() {
        return needs.entrySet().stream()
                .flatMap(entry -> entry.getValue().stream().map(to -> new Edge(entry.getKey(), to)))
                .toList();
    }

    /** The same with some of its edges; each node stays. */
    Graph keeping(Predicate<Edge> wanted) {
        var kept = new Graph();
        nodes().forEach(kept::node);
        edges().stream().filter(wanted).forEach(edge -> kept.edge(edge.from(), edge.to()));
        return kept;
    }

    /** The part between these nodes. */
    Graph within(Set<String> part) {
        var kept = new Graph();
        nodes().stream().filter(part::contains).forEach(kept::node);
        edges().stream()
                .filter(edge -> part.contains(edge.from()) && part.contains(edge.to()))
                .forEach(edge -> kept.edge(edge.from(), edge.to()));
        return kept;
    }

    /** Every knot of two or more, the largest first. */
    List<NavigableSet<String>> knots() {
        var search = new Search();
        nodes().forEach(search::start);
        search.found.sort(Comparator.comparing((NavigableSet<String> knot) -> -knot.size())
                .thenComparing(NavigableSet::first));
        return search.found;
    }

    /** The largest knot's size; a graph without one has 1. */
    int largest() {
        return knots().stream().findFirst().map(Set::size).orElse(1);
    }

    /** Tarjan's search. It goes as deep as the graph, which is at most some hundred classes. */
    private final class Search {
        private final Map<String, Integer> order = new HashMap<>();
        private final Map<String, Integer> lowest = new HashMap<>();
        private final Deque<String> open = new ArrayDeque<>();
        private final List<NavigableSet<String>> found = new ArrayList<>();

        void start(String node) {
            if (!order.containsKey(node)) {
                visit(node);
            }
        }

        private int visit(String node) {
            int mine = order.size();
            order.put(node, mine);
            open.push(node);
            int low = mine;
            for (var next : needs.getOrDefault(node, new TreeSet<>())) {
                if (!order.containsKey(next)) {
                    low = Math.min(low, visit(next));
                } else if (open.contains(next)) {
                    low = Math.min(low, order.getOrDefault(next, low));
                }
            }
            lowest.put(node, low);
            if (low == mine) {
                close(node);
            }
            return low;
        }

        private void close(String node) {
            var knot = new TreeSet<String>();
            do {
                knot.add(open.peek());
            } while (!node.equals(open.pop()));
            if (knot.size() > 1) {
                found.add(knot);
            }
        }
    }
}

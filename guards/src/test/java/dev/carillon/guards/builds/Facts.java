package dev.carillon.guards.builds;

import dev.carillon.guards.tree.SourceFile;
import java.util.Map;
import java.util.TreeMap;

/** What one build says, as names and values; the other build must say the same under the same names. */
final class Facts {
    /** Stands for a value that is computed: both builds must set it, each in its own way. */
    static final String COMPUTED = "(computed)";

    private final Map<String, Fact> facts = new TreeMap<>();

    record Fact(String value, String where) {}

    void add(String name, String value, SourceFile file, String mention) {
        facts.put(name, new Fact(value, file.path() + ":" + file.lineOf(mention)));
    }

    Map<String, Fact> all() {
        return facts;
    }
}

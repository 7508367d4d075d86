package dev.carillon.guards.tree;

/**
 * One thing a guard found: where it is, what it is, and what to do about it.
 *
 * @param where {@code file:line} below the root, or the name of what has no line
 */
public record Finding(String where, String problem, String remedy) implements Comparable<Finding> {
    public static Finding at(SourceFile file, int line, String problem, String remedy) {
        return new Finding(file.path() + ":" + line, problem, remedy);
    }

    @Override
    public int compareTo(Finding other) {
        return toString().compareTo(other.toString());
    }

    @Override
    public String toString() {
        return where + ": " + problem + "\n      -> " + remedy;
    }
}

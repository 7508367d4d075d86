package dev.carillon.guards.tree;

import java.util.List;

/**
 * A source taken apart: code without comments and strings, comments alone, and the strings.
 *
 * @param code as long as the source; comments and the inside of strings are blanks
 * @param comments as long as the source; everything but comments is blank
 */
public record Lexed(String code, String comments, List<Literal> literals) {
    /** A string as it is written between its quotes; a Kotlin template splits it in two. */
    public record Literal(int offset, String text) {}
}

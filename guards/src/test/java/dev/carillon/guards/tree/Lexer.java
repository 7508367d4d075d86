package dev.carillon.guards.tree;

import java.util.ArrayList;
import java.util.List;

/**
 * Tells code, comments and strings apart, in Java (text blocks included) and Kotlin (nested comments, raw strings and
 * templates included), so that a word in a sentence is never taken for a call.
 */
final class Lexer {
    private static final String TRIPLE = "\"\"\"";

    private final String text;
    private final boolean kotlin;
    private final StringBuilder code;
    private final StringBuilder comments;
    private final List<Lexed.Literal> literals = new ArrayList<>();
    private int at;

    Lexer(String text, boolean kotlin) {
        this.text = text;
        this.kotlin = kotlin;
        var blank = text.replaceAll("[^\n]", " ");
        this.code = new StringBuilder(blank);
        this.comments = new StringBuilder(blank);
    }

    Lexed lex() {
        code(false);
        return new Lexed(code.toString(), comments.toString(), List.copyOf(literals));
    }

    /** Code up to the end of the text, or up to the brace that ends a Kotlin template. */
    private void code(boolean template) {
        int depth = 0;
        while (at < text.length()) {
            char c = text.charAt(at);
            if (template && c == '}' && depth == 0) {
                return;
            }
            depth += c == '{' ? 1 : c == '}' ? -1 : 0;
            if (here("//")) {
                comment(lineEnd());
            } else if (here("/*")) {
                comment(blockEnd());
            } else if (here(TRIPLE)) {
                string(TRIPLE, !kotlin);
            } else if (c == '"') {
                string("\"", true);
            } else if (c == '\'') {
                string("'", true);
            } else {
                code.setCharAt(at++, c);
            }
        }
    }

    private void comment(int end) {
        comments.replace(at, end, text.substring(at, end));
        at = end;
    }

    private int lineEnd() {
        int end = text.indexOf('\n', at);
        return end < 0 ? text.length() : end;
    }

    private int blockEnd() {
        int depth = 1;
        for (int i = at + 2; i < text.length(); i++) {
            if (text.startsWith("*/", i)) {
                if (--depth == 0) {
                    return i + 2;
                }
                i++;
            } else if (kotlin && text.startsWith("/*", i)) {
                depth++;
                i++;
            }
        }
        return text.length();
    }

    private void string(String quote, boolean escapes) {
        quote(quote);
        int start = at;
        while (at < text.length() && !here(quote)) {
            if (escapes && text.charAt(at) == '\\') {
                at = Math.min(text.length(), at + 2);
            } else if (kotlin && here("${")) {
                literals.add(new Lexed.Literal(start, text.substring(start, at)));
                at += 2;
                code(true);
                start = Math.min(text.length(), ++at);
            } else {
                at++;
            }
        }
        at = Math.min(at, text.length());
        literals.add(new Lexed.Literal(start, text.substring(start, at)));
        if (here(quote)) {
            quote(quote);
        }
        // A raw string may end in quotes of its own: """a"""" is a" in raw quotes.
        while (quote.equals(TRIPLE) && here("\"")) {
            at++;
        }
    }

    private void quote(String quote) {
        code.replace(at, at + quote.length(), quote);
        at += quote.length();
    }

    private boolean here(String piece) {
        return text.startsWith(piece, at);
    }
}

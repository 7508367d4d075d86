package dev.carillon.guards.tree;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Supplier;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** One file of the tree. What is derived from its text is derived once, when it is first asked for. */
public final class SourceFile {
    private final Path file;
    private final String path;
    private final Supplier<String> text = new Once<>(this::read);
    private final Supplier<Lexed> lexed = new Once<>(() -> new Lexer(text(), isKotlin()).lex());
    private final Supplier<Outline> outline = new Once<>(() -> Outline.of(code(), isKotlin()));
    private final Supplier<Markdown> markdown = new Once<>(() -> Markdown.of(text()));

    SourceFile(Path file, String path) {
        this.file = file;
        this.path = path;
    }

    /** Where it is below the root, with slashes. */
    public String path() {
        return path;
    }

    public Path absolute() {
        return file;
    }

    public String name() {
        return path.substring(path.lastIndexOf('/') + 1);
    }

    /** The top-level folder, which is the module for all but the files of the root. */
    public String module() {
        return path.contains("/") ? path.substring(0, path.indexOf('/')) : "";
    }

    public boolean isJava() {
        return path.endsWith(".java");
    }

    public boolean isKotlin() {
        return path.endsWith(".kt") || path.endsWith(".kts");
    }

    public boolean isCode() {
        return isJava() || isKotlin();
    }

    /** Code that ends up in a module's jar. */
    public boolean isMain() {
        return isCode() && path.matches("[^/]+/src/main/.*");
    }

    public boolean isTest() {
        return isCode() && path.matches("[^/]+/src/test/.*");
    }

    public String text() {
        return text.get();
    }

    public List<String> lines() {
        return text().lines().toList();
    }

    /** A file with a NUL near its start is not text. */
    public boolean isText() {
        var text = text();
        return text.substring(0, Math.min(text.length(), 8000)).indexOf('\0') < 0;
    }

    /** The text with comments and the inside of strings blanked: every offset stays where it was. */
    public String code() {
        return lexed.get().code();
    }

    /** The text with everything blanked but the comments. */
    public String comments() {
        return lexed.get().comments();
    }

    /** The text with comments blanked and strings kept, for those who read settings. */
    public String withoutComments() {
        var text = new StringBuilder(text());
        var comments = comments();
        for (int i = 0; i < comments.length(); i++) {
            if (!Character.isWhitespace(comments.charAt(i))) {
                text.setCharAt(i, ' ');
            }
        }
        return text.toString();
    }

    public List<Lexed.Literal> literals() {
        return lexed.get().literals();
    }

    public Outline outline() {
        return outline.get();
    }

    public Markdown markdown() {
        return markdown.get();
    }

    /** The package that the file declares; empty for none. */
    public String packageName() {
        var found = Pattern.compile("(?m)^\\s*package\\s+([\\w.]+)").matcher(code());
        return found.find() ? found.group(1) : "";
    }

    public int lineAt(int offset) {
        return 1
                + (int) text().substring(0, offset)
                        .chars()
                        .filter(c -> c == '\n')
                        .count();
    }

    /** The first line that holds a piece of text, or 1: a finding always has a line to open. */
    public int lineOf(String piece) {
        return lineAt(Math.max(0, text().indexOf(piece)));
    }

    public Stream<MatchResult> inCode(Pattern pattern) {
        return pattern.matcher(code()).results();
    }

    @Override
    public String toString() {
        return path;
    }

    private String read() {
        try {
            return new String(Files.readAllBytes(file), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + path + ": check its permissions", e);
        }
    }
}

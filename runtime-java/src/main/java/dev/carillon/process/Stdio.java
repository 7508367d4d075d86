package dev.carillon.process;

import java.nio.file.Path;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What a child has as its standard input, output or error output.
 *
 * <p>A named pipe is opened without waiting for its other end: the start fails if no process has that open. (Where a pipe
 * may only be read, a missing writer cannot be seen: then the child reads the end of the file at once.)
 *
 * <p><b>Threading:</b> immutable.
 */
public final class Stdio {
    static final Path NULL_DEVICE = Path.of("/dev/null");

    private static final Stdio INHERIT = new Stdio(Kind.INHERIT, null);
    private static final Stdio NOTHING = new Stdio(Kind.NOTHING, null);
    private static final Stdio PIPE = new Stdio(Kind.PIPE, null);

    final Kind kind;
    final @Nullable Path path;

    enum Kind {
        INHERIT,
        NOTHING,
        PIPE,
        READ,
        WRITE,
        APPEND
    }

    private Stdio(Kind kind, @Nullable Path path) {
        this.kind = kind;
        this.path = path;
    }

    /** That of this process. */
    public static Stdio inherit() {
        return INHERIT;
    }

    /** /dev/null: nothing comes, and what is written is dropped. */
    public static Stdio nothing() {
        return NOTHING;
    }

    /** A pipe, whose other end is a handle on the loop: {@link Child#stdin}, {@link Child#stdout}, {@link Child#stderr}. */
    public static Stdio pipe() {
        return PIPE;
    }

    /** Reads a file. */
    public static Stdio from(Path file) {
        return new Stdio(Kind.READ, Objects.requireNonNull(file, "file"));
    }

    /** Writes a file, which is created or emptied. */
    public static Stdio to(Path file) {
        return new Stdio(Kind.WRITE, Objects.requireNonNull(file, "file"));
    }

    /** Writes behind the end of a file, which is created if need be. */
    public static Stdio append(Path file) {
        return new Stdio(Kind.APPEND, Objects.requireNonNull(file, "file"));
    }

    Stdio ensureFits(String name, boolean input) {
        boolean wrong = input ? kind == Kind.WRITE || kind == Kind.APPEND : kind == Kind.READ;
        if (wrong) {
            throw new IllegalArgumentException(name + "=" + this + ": an input is read, an output is written");
        }
        return this;
    }

    /** Only of those that have one. */
    Path file() {
        return Objects.requireNonNull(path, "path");
    }

    @Override
    public String toString() {
        return path == null ? kind.name() : kind + " " + path;
    }
}

package dev.carillon.process;

import dev.carillon.HeldDescriptor;
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

    /** That of this process, if nobody said so. */
    static final Stdio UNSET = new Stdio(Kind.INHERIT, null);

    private static final Stdio INHERIT = new Stdio(Kind.INHERIT, null);
    private static final Stdio NOTHING = new Stdio(Kind.NOTHING, null);
    private static final Stdio PIPE = new Stdio(Kind.PIPE, null);
    private static final Stdio STDOUT = new Stdio(Kind.STDOUT, null);

    final Kind kind;
    final @Nullable Path path;
    final int number;

    enum Kind {
        INHERIT,
        NOTHING,
        PIPE,
        STDOUT,
        DESCRIPTOR,
        READ,
        WRITE,
        APPEND
    }

    private Stdio(Kind kind, @Nullable Path path) {
        this.kind = kind;
        this.path = path;
        number = -1;
    }

    private Stdio(int number) {
        kind = Kind.DESCRIPTOR;
        path = null;
        this.number = number;
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

    /** For errors: the same as its standard output, whatever that is. What it writes to both comes in the order of its writes. */
    public static Stdio sameAsStdout() {
        return STDOUT;
    }

    /**
     * Any descriptor: a file, a socket, a pipe, a terminal. The child shares its offset and its flags, O_NONBLOCK among them.
     *
     * <p><b>Ownership:</b> stays the caller's, who keeps it open until the start has returned. One that can only be read, for
     * an output, or only written, for an input, is found by the child.
     *
     * @throws IllegalArgumentException if the number is negative
     */
    // r[impl process.stdio]
    public static Stdio of(int fd) {
        if (fd < 0) {
            throw new IllegalArgumentException("fd=" + fd + ": a descriptor is not negative");
        }
        return new Stdio(fd);
    }

    /** A descriptor that is held, until the start has returned at least; else as {@link #of(int)}. */
    public static Stdio of(HeldDescriptor held) {
        return of(held.number());
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
        if (kind == Kind.STDOUT && !name.equals("stderr")) {
            throw new IllegalArgumentException(name + "=" + this + ": only stderr can be the same as stdout");
        }
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
        return kind == Kind.DESCRIPTOR ? kind + " " + number : path == null ? kind.name() : kind + " " + path;
    }
}

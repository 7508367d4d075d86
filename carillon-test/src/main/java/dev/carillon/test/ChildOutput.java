package dev.carillon.test;

import java.io.ByteArrayOutputStream;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * What a child prints on one stream.
 *
 * <p>The child writes into a file that has no other use, and a look at the output reads on where the last one stopped.
 * So no thread is needed, all that the child wrote is there as soon as it has ended, a grandchild that keeps the stream
 * open blocks no reader, and the child never waits for one.
 *
 * <p><b>Threading</b> Any thread.
 */
final class ChildOutput implements AutoCloseable {
    private static final int CHUNK = 8192;

    private final Path file;
    private final InputStream input;
    private final ByteArrayOutputStream unfinished = new ByteArrayOutputStream();
    private final List<String> lines = new ArrayList<>();
    private final BitSet taken = new BitSet();
    private boolean closed;

    ChildOutput(String stream) throws IOException {
        file = Files.createTempFile("carillon-child-", "." + stream);
        input = new FileInputStream(file.toFile());
    }

    Path file() {
        return file;
    }

    /** The finished lines so far. */
    synchronized List<String> lines() {
        readOn();
        return List.copyOf(lines);
    }

    /** All lines of a child that has ended; the last one needs no line end. */
    synchronized List<String> allLines() {
        readOn();
        if (unfinished.size() > 0) {
            finishLine();
        }
        return List.copyOf(lines);
    }

    /** A search for one matching line that was not taken yet; each look goes on where the last one ended. */
    Supplier<Optional<String>> search(Predicate<String> matches) {
        int[] from = {0};
        return () -> {
            synchronized (this) {
                readOn();
                for (; from[0] < lines.size(); from[0]++) {
                    if (!taken.get(from[0]) && matches.test(lines.get(from[0]))) {
                        taken.set(from[0]);
                        return Optional.of(lines.get(from[0]));
                    }
                }
                return Optional.empty();
            }
        };
    }

    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        allLines();
        closed = true;
        try (input) {
            Files.deleteIfExists(file);
        } catch (IOException failure) {
            throw new UncheckedIOException("Cannot delete " + file, failure);
        }
    }

    private void readOn() {
        if (closed) {
            return;
        }
        byte[] chunk = new byte[CHUNK];
        try {
            for (int n = input.read(chunk); n > 0; n = input.read(chunk)) {
                for (int i = 0; i < n; i++) {
                    if (chunk[i] == '\n') {
                        finishLine();
                    } else {
                        unfinished.write(chunk[i]);
                    }
                }
            }
        } catch (IOException failure) {
            throw new UncheckedIOException("Cannot read what the child printed: " + file, failure);
        }
    }

    private void finishLine() {
        lines.add(unfinished.toString(StandardCharsets.UTF_8));
        unfinished.reset();
    }
}

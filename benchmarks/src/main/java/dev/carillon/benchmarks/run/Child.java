package dev.carillon.benchmarks.run;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A child process that is talked to in lines, each with a deadline.
 *
 * <p><b>Threading</b>: one thread talks; two daemon threads drain the child's output and its errors, so that the child
 * never blocks on a full pipe. <b>Ownership</b>: {@link #close()} ends the process.
 */
final class Child implements AutoCloseable {
    private static final int KEPT_ERROR_LINES = 200;
    private static final Duration GRACE = Duration.ofSeconds(5);

    private final String name;
    private final Process process;
    private final Thread errorReader;
    private final LinkedBlockingQueue<Line> lines = new LinkedBlockingQueue<>();
    private final Deque<String> errors = new ArrayDeque<>();

    /**
     * A line of the child's output.
     *
     * @param nanoTime when it arrived, in the terms of {@link System#nanoTime()}
     * @param last whether this is no line, but the end of the output
     */
    record Line(String text, long nanoTime, boolean last) {}

    private Child(String name, Process process) {
        this.name = name;
        this.process = process;
        drain("out", process.getInputStream(), this::keepLine);
        errorReader = drain("err", process.getErrorStream(), this::keepError);
    }

    static Child start(String name, List<String> command) throws RunFailure {
        try {
            return new Child(name, new ProcessBuilder(command).start());
        } catch (IOException e) {
            throw new RunFailure(name + " could not be started: " + String.join(" ", command), e);
        }
    }

    String ask(String request, Duration patience) throws RunFailure {
        try {
            process.getOutputStream().write((request + "\n").getBytes(StandardCharsets.UTF_8));
            process.getOutputStream().flush();
        } catch (IOException e) {
            throw new RunFailure(died("when it was asked '" + request + "'"), e);
        }
        return read("an answer to '" + request + "'", patience).text();
    }

    /** Returns the next line of the child's output. */
    Line read(String expected, Duration patience) throws RunFailure {
        try {
            Line line = lines.poll(patience.toNanos(), TimeUnit.NANOSECONDS);
            if (line == null) {
                throw new RunFailure(
                        name + " did not give " + expected + " within " + patience.toSeconds() + " s" + errors());
            }
            if (line.last) {
                throw new RunFailure(died("instead of giving " + expected));
            }
            return line;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new RunFailure("interrupted while waiting for " + name, e);
        }
    }

    /** Waits until the process has ended by itself. */
    void awaitEnd(Duration patience) throws RunFailure {
        if (!ended(patience)) {
            throw new RunFailure(name + " did not end within " + patience.toSeconds() + " s" + errors());
        }
        if (process.exitValue() != 0) {
            throw new RunFailure(died("with a failure"));
        }
    }

    long pid() {
        return process.pid();
    }

    /** Sends SIGTERM; that it ends of it, {@link #close} sees to. */
    void terminate() {
        process.destroy();
    }

    /** Closes the child's input, which is its sign to end, and kills it if it does not. */
    @Override
    public void close() {
        try {
            process.getOutputStream().close();
        } catch (IOException e) {
            // The pipe is broken because the child is gone; what is left to do is the same.
            keepError("(closing its input failed: " + e + ")");
        }
        if (!ended(GRACE)) {
            process.destroyForcibly();
        }
    }

    /** The end of the output comes a moment before the exit code. */
    private boolean ended(Duration patience) {
        try {
            return process.waitFor(patience.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return !process.isAlive();
        }
    }

    private String died(String when) {
        if (!ended(GRACE)) {
            return name + " closed its output " + when + errors();
        }
        try {
            // Its last words may still be in the pipe; a grandchild could keep that open for ever.
            errorReader.join(GRACE.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return name + " died (exit code " + process.exitValue() + ") " + when + errors();
    }

    private String errors() {
        synchronized (errors) {
            return errors.isEmpty() ? "; it wrote no errors" : "; its errors:\n  " + String.join("\n  ", errors);
        }
    }

    private void keepLine(@Nullable String text) {
        lines.add(new Line(text == null ? "" : text, System.nanoTime(), text == null));
    }

    private void keepError(@Nullable String line) {
        if (line == null) {
            return;
        }
        synchronized (errors) {
            if (errors.size() == KEPT_ERROR_LINES) {
                errors.removeFirst();
            }
            errors.addLast(line);
        }
    }

    private Thread drain(String stream, InputStream input, Consumer<@Nullable String> sink) {
        Thread thread = new Thread(() -> copyLines(input, sink), "bench-" + name + "-" + stream);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    private void copyLines(InputStream input, Consumer<@Nullable String> sink) {
        try (BufferedReader reader = new BufferedReader(new InputStreamReader(input, StandardCharsets.UTF_8))) {
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                sink.accept(line);
            }
        } catch (IOException e) {
            keepError("(reading from it failed: " + e + ")");
        } finally {
            sink.accept(null);
        }
    }
}

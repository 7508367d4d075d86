package dev.carillon.test;

import dev.carillon.test.proc.Children;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A child process under test.
 *
 * <p>Wait for facts that it prints ({@link #awaitLine(String, Duration) awaitLine}) and for its end
 * ({@link #awaitExit(Duration) awaitExit}). Every failure shows what the child printed and, when it hangs, the stacks of
 * its threads.
 *
 * <p><b>Threading</b> Any thread may send and look; let one at a time wait.
 *
 * <p><b>Ownership</b> Close it: that kills the child and its descendants and waits for their end.
 */
public final class ChildProcess implements AutoCloseable {
    private static final Duration TO_END = Duration.ofSeconds(30);
    private static final Duration TO_DUMP = Duration.ofSeconds(20);
    private static final Duration TO_START = Duration.ofSeconds(30);

    /** Where a VM's thread dump ends. */
    private static final String END_OF_DUMP = "JNI global refs";

    private final Process process;
    private final Kind kind;
    private final List<String> command;
    private final ChildOutput stdout;
    private final ChildOutput stderr;
    private final Belongings belongings;
    private volatile long pid;

    private ChildProcess(Process process, Started how) {
        this.process = process;
        this.kind = how.kind;
        this.command = how.command;
        this.stdout = how.stdout;
        this.stderr = how.stderr;
        this.belongings = how.belongings;
    }

    static ChildProcess start(ProcessBuilder builder, Kind kind, Belongings belongings) throws IOException {
        ChildOutput stdout = new ChildOutput("stdout");
        ChildOutput stderr = new ChildOutput("stderr");
        try {
            builder.redirectOutput(stdout.file().toFile())
                    .redirectError(stderr.file().toFile());
            Started how = new Started(kind, List.copyOf(builder.command()), stdout, stderr, belongings);
            return new ChildProcess(builder.start(), how);
        } catch (IOException failure) {
            stdout.close();
            stderr.close();
            throw failure;
        }
    }

    /** The pid of the program; of the VM itself where a prefix such as {@code unshare --fork} stands before it. */
    public long pid() {
        if (pid == 0) {
            pid = kind == Kind.JVM ? pidOfVm() : process.pid();
        }
        return pid;
    }

    /** Whether it still runs. */
    public boolean isAlive() {
        return process.isAlive();
    }

    /** The lines of standard output so far. */
    public List<String> stdout() {
        return stdout.lines();
    }

    /** The lines of standard error so far. */
    public List<String> stderr() {
        return stderr.lines();
    }

    /**
     * Waits for a line that starts with {@code prefix}, on either stream.
     *
     * <p><b>Order</b> Each line is given once: waiting twice for the same prefix waits for two lines. Lines of other
     * facts may come before.
     *
     * @throws AssertionError when the child ends or the time is over without such a line
     */
    public String awaitLine(String prefix, Duration limit) {
        return awaitLine("that starts with \"" + prefix + "\"", line -> line.startsWith(prefix), limit);
    }

    /** Waits for a line in which the pattern is found, as {@link #awaitLine(String, Duration)} does. */
    public String awaitLine(Pattern pattern, Duration limit) {
        return awaitLine("with " + pattern, line -> pattern.matcher(line).find(), limit);
    }

    /** Writes a line to its standard input. */
    public void writeLine(String line) {
        OutputStream stdin = process.getOutputStream();
        try {
            stdin.write((line + "\n").getBytes(StandardCharsets.UTF_8));
            stdin.flush();
        } catch (IOException failure) {
            throw new UncheckedIOException("Cannot write \"" + line + "\" to " + report(), failure);
        }
    }

    /**
     * Sends a signal by name, {@code "TERM"} or {@code "RTMIN+1"}.
     *
     * @return the pid of the process that sent it, as the child's handler sees it
     */
    public long send(String signal) {
        return new SignalSender(this::report).send(signal, pid());
    }

    /** Sends a signal by number, as {@link #send(String)} does. */
    public long send(int signal) {
        return send(Integer.toString(signal));
    }

    /**
     * Waits for its end.
     *
     * @throws AssertionError when it still runs after that time
     */
    public ChildExit awaitExit(Duration limit) {
        if (!Deadline.after(limit).poll(() -> !process.isAlive())) {
            throw new AssertionError("The child did not end within " + limit + ".\n" + hangReport());
        }
        return new ChildExit(process.exitValue(), stdout.allLines(), stderr.allLines());
    }

    /** Ends the child and its descendants with SIGKILL, and waits for that. */
    @Override
    public void close() {
        List<ProcessHandle> descendants = process.descendants().toList();
        descendants.forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
        Deadline.after(TO_END)
                .await(
                        "the killed child " + process.pid() + " and its descendants have ended",
                        () -> !process.isAlive()
                                && descendants.stream().allMatch(child -> Children.hasEnded(child.pid())));
        try (belongings;
                stdout;
                stderr) {
            process.getOutputStream().close();
        } catch (IOException brokenPipe) {
            if (process.isAlive()) {
                throw new UncheckedIOException("Cannot close the standard input of " + report(), brokenPipe);
            }
            // The pipe is closed all the same; lines that the child did not read before its end are of no use.
        }
    }

    private String awaitLine(String which, Predicate<String> matches, Duration limit) {
        Optional<String> found = Deadline.after(limit).search(search(matches), () -> !process.isAlive());
        return found.orElseThrow(() -> new AssertionError(
                process.isAlive()
                        ? "The child printed no line " + which + " within " + limit + ".\n" + hangReport()
                        : "The child ended without a line " + which + ".\n" + report()));
    }

    private Supplier<Optional<String>> search(Predicate<String> matches) {
        Supplier<Optional<String>> inStdout = stdout.search(matches);
        Supplier<Optional<String>> inStderr = stderr.search(matches);
        return () -> {
            if (!process.isAlive()) {
                stdout.allLines();
                stderr.allLines();
            }
            return inStdout.get().or(inStderr);
        };
    }

    private long pidOfVm() {
        return Deadline.after(TO_START)
                .search(this::runningVm, () -> !process.isAlive())
                .map(ProcessHandle::pid)
                .orElseThrow(() -> new AssertionError("No VM was started within " + TO_START + ".\n" + report()));
    }

    /** Before the launcher of the VM there may be others, which replace themselves by the next one or wait for it. */
    private Optional<ProcessHandle> runningVm() {
        return Stream.concat(Stream.of(process.toHandle()), process.descendants())
                .filter(candidate -> Children.program(candidate.pid()).endsWith("/java"))
                .findFirst();
    }

    /** A VM prints its threads on SIGQUIT, unless they are what hangs. */
    private String hangReport() {
        String report = report();
        Optional<ProcessHandle> vm = kind == Kind.JVM ? runningVm() : Optional.empty();
        if (vm.isEmpty()) {
            return report;
        }
        int printed = stdout.lines().size();
        new SignalSender(() -> report).send("QUIT", vm.get().pid());
        boolean dumped = Deadline.after(TO_DUMP).poll(() -> after(printed).contains(END_OF_DUMP));
        return report + "\n--- threads of the child" + (dumped ? "" : " (no whole dump within " + TO_DUMP + ")") + "\n"
                + after(printed);
    }

    private String after(int printed) {
        return String.join("\n", stdout.lines().stream().skip(printed).toList());
    }

    private String report() {
        String state = process.isAlive() ? "still runs" : "ended with " + ChildExit.describe(process.exitValue());
        return "Child " + process.pid() + " " + state + ": " + String.join(" ", command)
                + ChildExit.printed("stdout", stdout.lines())
                + ChildExit.printed("stderr", stderr.lines());
    }

    /** What is made for a child and goes with it. */
    interface Belongings extends AutoCloseable {
        @Override
        void close();
    }

    private record Started(
            Kind kind, List<String> command, ChildOutput stdout, ChildOutput stderr, Belongings belongings) {}

    /** Whether pid and thread dump are those of a VM. */
    enum Kind {
        PROGRAM,
        JVM
    }
}

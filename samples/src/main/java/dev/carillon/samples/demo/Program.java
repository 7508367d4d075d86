package dev.carillon.samples.demo;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** One of our own main classes as a process of its own. */
final class Program implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int FIRST_JDK_THAT_WARNS = 22;

    private final Process process;
    private final BufferedReader out;

    private Program(Process process) {
        this.process = process;
        this.out = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    }

    static Program start(Class<?> main, String... arguments) throws IOException {
        return new Program(builder(main, arguments)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start());
    }

    /** One whose lines are also those that it writes to its standard error. */
    static Program startWithErrors(Class<?> main, String... arguments) throws IOException {
        return new Program(builder(main, arguments).redirectErrorStream(true).start());
    }

    private static ProcessBuilder builder(Class<?> main, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(defaultSignals());
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.add("-Xlog:disable");
        if (Runtime.version().feature() >= FIRST_JDK_THAT_WARNS) {
            command.add("--enable-native-access=ALL-UNNAMED");
        }
        command.add("-cp");
        command.add(System.getProperty("java.class.path"));
        command.add(main.getName());
        command.addAll(List.of(arguments));
        return new ProcessBuilder(command);
    }

    /** Below nohup we ignore SIGHUP, in the background SIGINT, and so would those whom we start: they could not be shown. */
    private static List<String> defaultSignals() throws IOException {
        boolean ignored = Files.readAllLines(Path.of("/proc/self/status")).stream()
                .anyMatch(line -> line.matches("SigIgn:.*[^048c]"));
        return ignored ? List.of("env", "--default-signal=HUP,INT") : List.of();
    }

    /** The next line that fits the whole pattern; others before it are passed over. */
    String awaitLine(String pattern) throws InterruptedException {
        try {
            return CompletableFuture.supplyAsync(() -> lineLike(pattern)).get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException e) {
            throw new IllegalStateException("pid " + process.pid() + " printed no line like " + pattern, e);
        }
    }

    private String lineLike(String pattern) {
        try {
            for (String line = out.readLine(); line != null; line = out.readLine()) {
                if (line.matches(pattern)) {
                    return line;
                }
            }
            throw new IllegalStateException("it ended before");
        } catch (IOException e) {
            throw new UncheckedIOException("pid " + process.pid() + " cannot be read from", e);
        }
    }

    /** Through a shell, as somebody at a terminal does it; returns that shell's pid. */
    long sendFromOutside(String signal) throws IOException, InterruptedException {
        return kill(signal, process.pid());
    }

    static long kill(String signal, long pid) throws IOException, InterruptedException {
        Process shell = new ProcessBuilder("sh", "-c", "kill -" + signal + " " + pid)
                .inheritIO()
                .start();
        if (!shell.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS) || shell.exitValue() != 0) {
            throw new IllegalStateException("kill -" + signal + " " + pid + " failed");
        }
        return shell.pid();
    }

    void awaitTrue(String fact, BooleanSupplier holds) {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (!holds.getAsBoolean()) {
            if (System.nanoTime() - deadline > 0 || !process.isAlive()) {
                throw new IllegalStateException("Not seen within " + PATIENCE + ": " + fact);
            }
            LockSupport.parkNanos(1_000_000);
        }
    }

    void kill() {
        process.destroyForcibly();
    }

    int awaitExit() throws InterruptedException {
        if (!process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
            throw new IllegalStateException("pid " + process.pid() + " did not end within " + PATIENCE);
        }
        return process.exitValue();
    }

    @Override
    public void close() {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
    }
}

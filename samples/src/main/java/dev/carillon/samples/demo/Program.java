package dev.carillon.samples.demo;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** One of our own main classes as a process of its own. */
final class Program implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int FIRST_JDK_THAT_WARNS = 22;

    private final Process process;

    private Program(Process process) {
        this.process = process;
    }

    static Program start(Class<?> main, String... arguments) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.add("-Xlog:disable");
        if (Runtime.version().feature() >= FIRST_JDK_THAT_WARNS) {
            command.add("--enable-native-access=ALL-UNNAMED");
        }
        command.add("-cp");
        command.add(System.getProperty("java.class.path"));
        command.add(main.getName());
        command.addAll(List.of(arguments));
        return new Program(new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start());
    }

    /** The last line of all that it prints, once it has printed everything. */
    String lastLine() throws IOException {
        try (BufferedReader out =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            return out.lines().reduce("", (before, line) -> line);
        }
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
        process.destroyForcibly();
    }
}

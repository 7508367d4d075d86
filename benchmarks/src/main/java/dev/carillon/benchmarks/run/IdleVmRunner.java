package dev.carillon.benchmarks.run;

import dev.carillon.benchmarks.model.Placement;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Starts a VM, lets it come to rest, and reads from the kernel how much memory it has. The work is the kernel's word. */
final class IdleVmRunner implements Runner {
    private static final Duration PATIENCE = Duration.ofMinutes(1);
    private static final long SETTLE_NANOS = TimeUnit.SECONDS.toNanos(5);
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
    private static final int CALM_LOOKS = 4;
    private static final double KIB = 1_024;

    private final String name;
    private final List<String> command;

    IdleVmRunner(String name, List<String> command) {
        this.name = name;
        this.command = List.copyOf(command);
    }

    @Override
    public void place(Placement placement) {
        if (placement != Placement.FREE) {
            throw new IllegalArgumentException("placement=" + placement + ": an idle VM has all cores");
        }
    }

    @Override
    public double[] round(String work, long ops) throws Skipped, RunFailure {
        try (Child child = Child.start(name, command)) {
            String line = child.read("its line", PATIENCE).text();
            if (!line.equals("ready")) {
                throw new RunFailure(name + " said '" + line + "' instead of 'ready'");
            }
            Path rollup = Path.of("/proc/" + child.pid() + "/smaps_rollup");
            double[] mebibytes = {settled(rollup, work) / KIB};
            child.terminate();
            return mebibytes;
        }
    }

    /** The collector gives memory back and the compilers finish after the line; four looks without a change end the wait. */
    private static long settled(Path rollup, String field) throws Skipped, RunFailure {
        long deadline = System.nanoTime() + SETTLE_NANOS;
        long last = kibibytes(rollup, field);
        for (int calm = 0; calm < CALM_LOOKS && System.nanoTime() - deadline < 0; ) {
            LockSupport.parkNanos(PAUSE_NANOS);
            long now = kibibytes(rollup, field);
            calm = now == last ? calm + 1 : 0;
            last = now;
        }
        return last;
    }

    static long kibibytes(Path rollup, String field) throws Skipped, RunFailure {
        List<String> lines;
        try {
            lines = Files.readAllLines(rollup);
        } catch (IOException e) {
            throw new Skipped(rollup + " cannot be read: " + e.getMessage());
        }
        for (String line : lines) {
            if (line.startsWith(field + ":")) {
                return Long.parseLong(line.replaceAll("\\D", ""));
            }
        }
        throw new RunFailure(rollup + " has no line " + field + ": " + lines);
    }

    @Override
    public void finish(String work) {}

    @Override
    public void close() {}
}

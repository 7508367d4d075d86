package dev.carillon.benchmarks.run;

import dev.carillon.benchmarks.model.Placement;
import dev.carillon.benchmarks.model.Variant;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Starts a VM for each operation and measures until its first line arrives. Where it runs is left to the kernel. */
final class FreshVmRunner implements Runner {
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private final String name;
    private final List<String> command;

    private FreshVmRunner(String name, List<String> command) {
        this.name = name;
        this.command = List.copyOf(command);
    }

    /** Dumps the archive, if the variant runs with one: with the flags that it runs with, or it would not be used. */
    static FreshVmRunner prepare(String name, List<String> java, Variant.FreshVm vm, Path scratch) throws RunFailure {
        List<String> command = new ArrayList<>(java);
        if (vm.archive()) {
            Path archive = scratch.resolve(name + ".jsa").toAbsolutePath();
            try {
                Files.createDirectories(scratch);
                Files.deleteIfExists(archive);
            } catch (IOException e) {
                throw new RunFailure("the old archive " + archive + " could not be removed", e);
            }
            List<String> dump = new ArrayList<>(command);
            dump.addAll(List.of("-Xlog:cds=off", "-Xlog:cds+dynamic=off"));
            dump.addAll(List.of("-XX:ArchiveClassesAtExit=" + archive, vm.mainClass()));
            launch(name + " (dumping its archive)", dump);
            if (!Files.exists(archive)) {
                throw new RunFailure(name + " left no archive " + archive);
            }
            command.add("-XX:SharedArchiveFile=" + archive);
            // A VM that can't use its archive starts as usual, and the figure would be a lie: here it fails instead.
            List<String> strict = new ArrayList<>(command);
            strict.addAll(List.of("-Xshare:on", vm.mainClass()));
            launch(name + " (trying its archive)", strict);
        }
        command.add(vm.mainClass());
        return new FreshVmRunner(name, command);
    }

    @Override
    public void place(Placement placement) {
        if (placement != Placement.FREE) {
            throw new IllegalArgumentException("placement=" + placement + ": a fresh VM runs free");
        }
    }

    @Override
    public double[] round(String work, long ops) throws RunFailure {
        double[] nanos = new double[Math.toIntExact(ops)];
        for (int i = 0; i < nanos.length; i++) {
            nanos[i] = launch(name, command);
        }
        return nanos;
    }

    @Override
    public void finish(String work) {}

    @Override
    public void close() {}

    private static double launch(String name, List<String> command) throws RunFailure {
        long start = System.nanoTime();
        try (Child child = Child.start(name, command)) {
            double nanos = child.read("its first line", PATIENCE).nanoTime() - start;
            child.awaitEnd(PATIENCE);
            return nanos;
        }
    }
}

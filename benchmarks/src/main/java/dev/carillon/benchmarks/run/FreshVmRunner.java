package dev.carillon.benchmarks.run;

import dev.carillon.benchmarks.model.Placement;
import dev.carillon.benchmarks.model.Variant;
import dev.carillon.benchmarks.model.Variant.Archive;
import dev.carillon.benchmarks.model.Variant.Span;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Starts a VM for each operation and measures until its line arrives, or from there to its end. It runs anywhere. */
final class FreshVmRunner implements Runner {
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private static final String READY = "ready";

    private final String name;
    private final List<String> command;

    private final Span span;

    private FreshVmRunner(String name, List<String> command, Span span) {
        this.name = name;
        this.command = command;
        this.span = span;
    }

    /** Prepares the archive, if the variant has one: with the flags that it runs with, or it would not be used. */
    static FreshVmRunner prepare(String name, List<String> java, Variant.FreshVm vm, Path scratch) throws RunFailure {
        List<String> ready = List.of();
        if (vm.archive() != Archive.NONE) {
            String program = vm.mainClass().substring(vm.mainClass().lastIndexOf('.') + 1);
            Path archive = Archives.emptyPlace(scratch, name + "-" + program);
            launch(
                    name + " (writing its archive)",
                    command(java, Archives.write(vm.archive(), archive), vm),
                    vm.span());
            launch(
                    name + " (trying its archive)",
                    command(java, Archives.readOrFail(vm.archive(), archive), vm),
                    vm.span());
            ready = Archives.read(vm.archive(), archive);
        }
        return new FreshVmRunner(name, command(java, ready, vm), vm.span());
    }

    private static List<String> command(List<String> java, List<String> more, Variant.FreshVm vm) {
        List<String> command = new ArrayList<>(java);
        command.addAll(more);
        command.add(vm.mainClass());
        return List.copyOf(command);
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
            nanos[i] = launch(name, command, span);
        }
        return nanos;
    }

    @Override
    public void finish(String work) {}

    @Override
    public void close() {}

    private static double launch(String name, List<String> command, Span span) throws RunFailure {
        long start = System.nanoTime();
        try (Child child = Child.start(name, command)) {
            Child.Line first = child.read("its first line", PATIENCE);
            child.awaitEnd(PATIENCE);
            long end = System.nanoTime();
            if (!first.text().equals(READY)) {
                throw new RunFailure(name + " said '" + first.text() + "' instead of '" + READY + "'");
            }
            return span == Span.START_TO_LINE ? first.nanoTime() - start : end - first.nanoTime();
        }
    }
}

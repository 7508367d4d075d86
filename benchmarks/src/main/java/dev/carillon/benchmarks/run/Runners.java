package dev.carillon.benchmarks.run;

import dev.carillon.benchmarks.model.Role;
import dev.carillon.benchmarks.model.Variant;
import dev.carillon.benchmarks.worker.Worker;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The processes of one benchmark: started when a case first asks for them, ended together. */
final class Runners implements AutoCloseable {
    private final Toolbox tools;
    private final Map<Variant, Runner> started = new HashMap<>();

    Runners(Toolbox tools) {
        this.tools = tools;
    }

    Runner get(Variant variant) throws Skipped, RunFailure {
        Runner runner = started.get(variant);
        if (runner == null) {
            runner = start(variant);
            started.put(variant, runner);
        }
        return runner;
    }

    /** Ends a process that went wrong; the next case starts a new one. */
    void drop(Variant variant) {
        Runner runner = started.remove(variant);
        if (runner != null) {
            runner.close();
        }
    }

    @Override
    public void close() {
        started.values().forEach(Runner::close);
        started.clear();
    }

    private Runner start(Variant variant) throws Skipped, RunFailure {
        Variant.Launch launch = variant.launch();
        if (launch instanceof Variant.JavaWorker worker) {
            List<String> command = tools.java(worker.jdk());
            command.addAll(tools.nativeAccess(worker.jdk()));
            // Workers take turns already, and the lock of JMH is a file that stays in the temporary folder.
            command.add("-Djmh.ignoreLock=true");
            command.addAll(worker.flags());
            for (String program : worker.programs()) {
                String stem = program.replaceFirst("\\.c$", "");
                command.add("-Dcarillon.c." + stem + "=" + tools.compiler().compile(program));
            }
            command.addAll(List.of("-cp", tools.classPath(), Worker.class.getName(), worker.workload()));
            return WorkerRunner.of(Child.start(variant.name(), command), tools.cores());
        }
        if (launch instanceof Variant.CWorker worker) {
            List<String> command = new ArrayList<>();
            command.add(tools.compiler().compile(worker.source()).toString());
            command.addAll(worker.args());
            return WorkerRunner.of(Child.start(variant.name(), command), tools.cores());
        }
        if (launch instanceof Variant.FreshVm vm) {
            List<String> command = tools.java(vm.jdk());
            if (variant.role() == Role.OURS) {
                command.addAll(tools.nativeAccess(vm.jdk()));
            }
            command.addAll(vm.flags());
            command.addAll(List.of("-cp", tools.jarsOnly(vm.mainClass())));
            return FreshVmRunner.prepare(variant.name(), command, vm, tools.scratch());
        }
        if (launch instanceof Variant.IdleVm vm) {
            List<String> command = tools.java(vm.jdk());
            command.addAll(tools.nativeAccess(vm.jdk()));
            command.addAll(vm.flags());
            command.addAll(List.of("-cp", tools.jarsOnly(vm.mainClass()), vm.mainClass()));
            return new IdleVmRunner(variant.name(), command);
        }
        throw new IllegalStateException("launch=" + launch + " is unknown here");
    }
}

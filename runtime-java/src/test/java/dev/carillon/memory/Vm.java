package dev.carillon.memory;

import dev.carillon.test.ChildExit;
import dev.carillon.test.ChildJvm;
import dev.carillon.test.Jdk;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * One of the VMs that a scenario runs in.
 *
 * @param jdk its JDK
 * @param libc the library that makes its system calls
 * @param mode a flag of the compiler, or empty
 */
record Vm(Jdk jdk, String libc, String mode) {
    static final Duration LIMIT = Duration.ofSeconds(100);

    /** This JDK and the second one, with each library that it has. */
    static List<Vm> all() {
        List<Vm> vms = new ArrayList<>();
        Stream.concat(Stream.of(Jdk.current()), Jdk.second().stream())
                .distinct()
                .forEach(jdk -> {
                    vms.add(new Vm(jdk, "jna", ""));
                    if (jdk.hasForeignMemory()) {
                        vms.add(new Vm(jdk, "ffm", ""));
                    }
                });
        return vms;
    }

    /** As {@link #all}, and each of these with the interpreter alone. */
    static List<Vm> compiledAndInterpreted() {
        return all().stream()
                .flatMap(vm -> Stream.of(vm, new Vm(vm.jdk, vm.libc, "-Xint")))
                .toList();
    }

    ChildJvm of(Class<?> main, String... arguments) {
        ChildJvm child = ChildJvm.of(main)
                .jdk(jdk)
                .vmFlags("-Dcarillon.libc=" + libc, "-XX:-CreateCoredumpOnCrash", "-XX:ErrorFile=/dev/stderr")
                .args(arguments);
        return mode.isEmpty() ? child : child.vmFlags(mode);
    }

    /** Runs it to its end; what it prints is part of a failure. */
    static void runToSuccess(ChildJvm child) {
        ChildExit exit = child.run(LIMIT);
        if (exit.code() != 0) {
            throw new AssertionError(exit + "\n" + String.join("\n", exit.stdout()) + "\n"
                    + String.join("\n", exit.stderr().stream().limit(80).toList()));
        }
    }

    @Override
    public String toString() {
        return "JDK " + jdk.feature() + " " + libc + " " + mode;
    }
}

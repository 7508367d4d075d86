package dev.carillon.doctor;

import dev.carillon.Availability;
import dev.carillon.sys.Feature;
import dev.carillon.sys.LibC;
import dev.carillon.sys.fault.FaultGuard;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** How C is reached, and which calls the kernel and glibc answer: each tried for real. */
final class NativeChecks {
    private static final String URING_SWITCH = "/proc/sys/kernel/io_uring_disabled";

    private NativeChecks() {}

    static List<Check> run(Machine machine) {
        List<Check> checks = new ArrayList<>(run(machine, LibC.availability(), LibC.choice(), Feature::availability));
        if (LibC.availability().isAvailable()) {
            checks.add(faultGuard(FaultGuard.availability()));
        }
        return checks;
    }

    /** How atomic accesses to files are kept from ending the VM. */
    // r[impl memory.guard]
    static Check faultGuard(Availability found) {
        return found.isAvailable()
                ? Check.ok(FaultGuard.LABEL, "works")
                : Check.note(
                        FaultGuard.LABEL,
                        why(found),
                        "Atomic accesses to files cost a system call each, and may end the VM where another process"
                                + " truncates the file in just that moment; use memfds.");
    }

    static List<Check> run(
            Machine machine, Availability libc, String choice, Function<Feature, Availability> availability) {
        if (!libc.isAvailable()) {
            return List.of(Check.problem(
                    "native",
                    libc.toString(),
                    "Nothing of Carillon works without; leave -Dcarillon.libc out if it is set."));
        }
        List<Check> checks = new ArrayList<>();
        checks.add(Check.ok("native", choice));
        for (Feature feature : Feature.values()) {
            Availability found = availability.apply(feature);
            checks.add(found.isAvailable() ? Check.ok(feature.label(), "works") : missing(machine, feature, found));
        }
        return checks;
    }

    private static Check missing(Machine machine, Feature feature, Availability found) {
        String why = why(found);
        String advice = "Came with " + feature.since() + "; without it, " + feature.otherwise() + ".";
        if (feature == Feature.IO_URING) {
            advice += switch (machine.text(URING_SWITCH).orElse("")) {
                case "1", "2" -> " It is switched off: sysctl kernel.io_uring_disabled=0.";
                default -> "";
            };
        }
        return Check.note(feature.label(), why, advice);
    }

    private static String why(Availability missing) {
        Throwable cause = missing.unavailabilityCause();
        return cause == null ? "" : String.valueOf(cause.getMessage());
    }
}

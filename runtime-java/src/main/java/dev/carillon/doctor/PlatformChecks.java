package dev.carillon.doctor;

import java.util.List;

/** Kernel, C library, processor and JDK: the floor that everything stands on. */
final class PlatformChecks {
    private static final int[] OLDEST_KERNEL = {5, 4};

    private PlatformChecks() {}

    static List<Check> run(Machine machine, String architecture, Runtime.Version jdk) {
        return List.of(kernel(machine), libc(machine), architecture(architecture), jdk(jdk));
    }

    private static Check kernel(Machine machine) {
        String release = machine.text("/proc/sys/kernel/osrelease").orElse("");
        if (release.isEmpty()) {
            return Check.problem(
                    "kernel", "no /proc/sys/kernel/osrelease", "Carillon runs on Linux, with /proc mounted.");
        }
        String[] parts = release.split("[^0-9]+", 3);
        if (parts.length < 2 || parts[0].isEmpty()) {
            return Check.note("kernel", release, "The release is not of the form 6.1.0; 5.4 or newer is needed.");
        }
        int major = Integer.parseInt(parts[0]);
        int minor = Integer.parseInt(parts[1]);
        boolean old = major < OLDEST_KERNEL[0] || (major == OLDEST_KERNEL[0] && minor < OLDEST_KERNEL[1]);
        return old
                ? Check.problem("kernel", "Linux " + release, "Carillon needs Linux 5.4 or newer.")
                : Check.ok("kernel", "Linux " + release);
    }

    private static Check libc(Machine machine) {
        // The C library of this very process, since a machine can have several.
        for (String line : machine.lines("/proc/self/maps")) {
            String file = line.substring(line.lastIndexOf('/') + 1);
            if (file.startsWith("ld-musl") || file.startsWith("libc.musl")) {
                return Check.problem(
                        "libc",
                        "musl (" + file + ")",
                        "Use an image with glibc 2.31 or newer; JNA has no musl library.");
            }
            if (file.equals("libc.so.6") || file.startsWith("libc-2.")) {
                return Check.ok("libc", "glibc (" + line.substring(line.indexOf('/')) + ")");
            }
        }
        return Check.note("libc", "unknown", "glibc 2.31 or newer is what Carillon is tested with.");
    }

    private static Check architecture(String name) {
        return switch (name) {
            case "amd64", "x86_64" -> Check.ok("architecture", name);
            case "aarch64" ->
                Check.note(
                        "architecture",
                        name,
                        "Tested on an emulated machine only, with JNA: run the tests on yours first.");
            default -> Check.problem("architecture", name, "Carillon knows x86-64 and aarch64.");
        };
    }

    private static Check jdk(Runtime.Version version) {
        String found = version + ", " + System.getProperty("java.vm.name", "unknown VM");
        return version.feature() >= 17
                ? Check.ok("jdk", found)
                : Check.problem("jdk", found, "Carillon needs JDK 17 or newer.");
    }
}

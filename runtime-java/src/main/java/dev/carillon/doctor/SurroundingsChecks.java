package dev.carillon.doctor;

import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Who is around us: a filter on system calls, a container, a shell in front, a temporary folder without exec. */
final class SurroundingsChecks {
    private static final String STATUS = "/proc/self/status";
    private static final Set<String> SHELLS = Set.of("sh", "bash", "dash", "ash", "zsh", "busybox");

    private SurroundingsChecks() {}

    static List<Check> run(Machine machine, String temporaryFolder, boolean unpacksLibrary) {
        return List.of(
                seccomp(machine),
                container(machine),
                parent(machine),
                temporaryFolder(machine, temporaryFolder, unpacksLibrary));
    }

    private static Check seccomp(Machine machine) {
        return switch (machine.field(STATUS, "Seccomp").orElse("")) {
            case "0" -> Check.ok("seccomp", "no filter");
            case "" -> Check.ok("seccomp", "not told by this kernel");
            default ->
                Check.note(
                        "seccomp",
                        "a filter is on",
                        "Where a probe above failed with EPERM or ENOSYS, allow that call in the container's profile.");
        };
    }

    private static Check container(Machine machine) {
        boolean inside = machine.exists("/.dockerenv")
                || machine.exists("/run/.containerenv")
                || machine.text("/proc/1/cgroup")
                        .filter(t -> t.contains("kubepods") || t.contains("docker"))
                        .isPresent();
        // The last number is our pid in the innermost namespace.
        String pid = machine.field(STATUS, "NSpid").orElse("");
        boolean first = pid.equals("1") || pid.endsWith("\t1");
        String found = (inside ? "in a container" : "no container seen") + (first ? ", and we are PID 1" : "");
        return first
                ? Check.note(
                        "container",
                        found,
                        "PID 1 adopts orphans and gets no default dispositions: attach the signals that should end us, "
                                + "or start with an init (docker run --init).")
                : Check.ok("container", found);
    }

    private static Check parent(Machine machine) {
        String ppid = machine.field(STATUS, "PPid").orElse("0");
        Optional<String> comm = machine.text("/proc/" + ppid + "/comm");
        String found = comm.map(c -> c + " (pid " + ppid + ")").orElse("pid " + ppid);
        boolean shellInFront = ppid.equals("1") && comm.filter(SHELLS::contains).isPresent();
        return shellInFront
                ? Check.note(
                        "parent",
                        found,
                        "A shell is PID 1 and keeps SIGTERM to itself: start us with exec, or with the exec form of "
                                + "ENTRYPOINT.")
                : Check.ok("parent", found);
    }

    private static Check temporaryFolder(Machine machine, String folder, boolean unpacksLibrary) {
        boolean noexec = mountOptions(machine, folder).contains("noexec");
        if (!noexec) {
            return Check.ok("tmp", folder);
        }
        return unpacksLibrary
                ? Check.problem(
                        "tmp",
                        folder + " is mounted noexec",
                        "JNA unpacks its library there and loads it: set -Djna.tmpdir to a folder that allows exec, "
                                + "or use JDK 22 or newer.")
                : Check.ok("tmp", folder + " is mounted noexec, which java.lang.foreign does not mind");
    }

    /** The options of the mount that holds the folder: the one with the longest mount point above it. */
    private static Set<String> mountOptions(Machine machine, String folder) {
        String best = "";
        Set<String> options = Set.of();
        for (String line : machine.lines("/proc/self/mountinfo")) {
            String[] fields = line.split(" ", 7);
            if (fields.length < 6) {
                continue;
            }
            String point = fields[4];
            boolean above = point.equals("/") || folder.equals(point) || folder.startsWith(point + "/");
            if (above && point.length() >= best.length()) {
                best = point;
                options = Set.of(fields[5].split(","));
            }
        }
        return options;
    }
}

package dev.carillon.doctor;

import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** What this process may use: descriptors, locked memory, queued signals, room for shared memory. */
final class LimitChecks {
    private static final long MEBI = 1024 * 1024;
    private static final long ENOUGH_SHM = 128 * MEBI;

    private LimitChecks() {}

    static List<Check> run(Machine machine) {
        List<Check> checks = new ArrayList<>();
        checks.add(limit(
                machine,
                "nofile",
                "Max open files",
                4096,
                "Each connection, bell and region takes one, each watched child and each asynchronous bell takes two: "
                        + "raise it (ulimit -n, or LimitNOFILE= in a unit)."));
        checks.add(limit(
                machine,
                "sigpending",
                "Max pending signals",
                1024,
                "Queued signals beyond it arrive without their sender: raise it (ulimit -i)."));
        checks.add(limit(
                machine,
                "memlock",
                "Max locked memory",
                64 * 1024,
                "io_uring on kernels before 5.12 counts its rings here: raise it (ulimit -l)."));
        checks.add(sharedMemory(machine));
        return checks;
    }

    private static Check limit(Machine machine, String name, String title, long enough, String advice) {
        Optional<String> line = machine.lines("/proc/self/limits").stream()
                .filter(l -> l.startsWith(title))
                .findFirst();
        if (line.isEmpty()) {
            return Check.note(name, "not in /proc/self/limits", "Nothing to do, unless /proc is hidden on purpose.");
        }
        String soft = line.get().substring(title.length()).strip().split("\\s+", 2)[0];
        boolean low = !soft.equals("unlimited") && Long.parseLong(soft) < enough;
        return low ? Check.note(name, soft, advice) : Check.ok(name, soft);
    }

    private static Check sharedMemory(Machine machine) {
        if (!machine.exists("/dev/shm")) {
            return Check.note(
                    "shm", "no /dev/shm", "Regions in files need a tmpfs: mount one there, or name another folder.");
        }
        try {
            long free = Files.getFileStore(machine.resolve("/dev/shm")).getUsableSpace();
            String found = free / MEBI + " MiB free in /dev/shm";
            return free < ENOUGH_SHM
                    ? Check.note("shm", found, "Containers start with 64 MiB: raise it (docker run --shm-size=1g).")
                    : Check.ok("shm", found);
        } catch (IOException e) {
            return Check.note("shm", "/dev/shm: " + e.getMessage(), "Check that it is mounted and readable.");
        }
    }
}

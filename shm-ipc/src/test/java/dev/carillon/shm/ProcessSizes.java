package dev.carillon.shm;

import dev.carillon.test.ChildProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/** As the host sees the processes. */
record ProcessSizes(long heap, long resident, long guests, long shared) {
    private static final int LOOKS = 10;

    static ProcessSizes now(List<ChildProcess> guests) throws IOException {
        long all = 0;
        for (ChildProcess each : guests) {
            all += status(each.pid(), "VmRSS");
        }
        long own = ProcessHandle.current().pid();
        return new ProcessSizes(usedHeap(), status(own, "VmRSS"), all, status(own, "RssShmem"));
    }

    /** The least of several looks: threads at full speed make garbage between a collection and the look. */
    private static long usedHeap() {
        Runtime vm = Runtime.getRuntime();
        long least = Long.MAX_VALUE;
        for (int i = 0; i < LOOKS; i++) {
            System.gc();
            least = Math.min(least, vm.totalMemory() - vm.freeMemory());
        }
        return least;
    }

    private static long status(long pid, String field) throws IOException {
        for (String line : Files.readAllLines(Path.of("/proc", Long.toString(pid), "status"))) {
            if (line.startsWith(field + ":")) {
                return Long.parseLong(line.replaceAll("[^0-9]", "")) << 10;
            }
        }
        throw new IOException("no " + field + " of " + pid);
    }

    @Override
    public String toString() {
        return String.format(
                Locale.ROOT,
                "heap %.1f, resident %.1f (shared %.1f), guests %.1f MiB",
                heap / 1048576.0,
                resident / 1048576.0,
                shared / 1048576.0,
                guests / 1048576.0);
    }
}

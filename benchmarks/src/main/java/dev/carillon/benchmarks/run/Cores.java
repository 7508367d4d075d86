package dev.carillon.benchmarks.run;

import dev.carillon.benchmarks.model.Placement;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The two cores that work is kept on.
 *
 * @param first the core of the first side, and of both sides where they share one
 * @param second the core of the second side; the same as the first where there is no other
 */
public record Cores(int first, int second) {
    private static final int ANY = -1;

    /**
     * Chooses from the cores that this process may use: the last one, because interrupts gather on the first ones, and
     * the nearest that is not the same physical core.
     */
    public static Cores choose() throws IOException {
        List<Integer> allowed = allowed(Files.readString(Path.of("/proc/self/status")));
        int first = allowed.get(allowed.size() - 1);
        List<Integer> siblings = siblings(first);
        for (int i = allowed.size() - 2; i >= 0; i--) {
            if (!siblings.contains(allowed.get(i))) {
                return new Cores(first, allowed.get(i));
            }
        }
        return new Cores(first, allowed.get(Math.max(0, allowed.size() - 2)));
    }

    /** Returns whether there are two. */
    public boolean two() {
        return first != second;
    }

    int first(Placement placement) {
        return placement == Placement.FREE ? ANY : first;
    }

    int second(Placement placement) {
        return switch (placement) {
            case ONE_CORE -> first;
            case TWO_CORES -> second;
            case FREE -> ANY;
        };
    }

    static List<Integer> allowed(String status) {
        return status.lines()
                .filter(line -> line.startsWith("Cpus_allowed_list:"))
                .findFirst()
                .map(line -> parseList(line.substring(line.indexOf(':') + 1).strip()))
                .orElseThrow(() -> new IllegalStateException("/proc/self/status has no line Cpus_allowed_list"));
    }

    /** Reads the kernel's way to write lists: "0-3,8,10-11". */
    static List<Integer> parseList(String text) {
        List<Integer> cores = new ArrayList<>();
        for (String part : text.split(",", -1)) {
            String[] ends = part.split("-", -1);
            int last = Integer.parseInt(ends[ends.length - 1]);
            for (int core = Integer.parseInt(ends[0]); core <= last; core++) {
                cores.add(core);
            }
        }
        return cores;
    }

    private static List<Integer> siblings(int core) throws IOException {
        Path list = Path.of("/sys/devices/system/cpu/cpu" + core + "/topology/thread_siblings_list");
        return Files.exists(list) ? parseList(Files.readString(list).strip()) : List.of(core);
    }
}

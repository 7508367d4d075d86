package dev.carillon.signal;

import dev.carillon.sys.call.Sys;
import dev.carillon.test.proc.Descriptors;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The pipes of loops in this process: those that it has both ends of. */
final class OwnPipes {
    private OwnPipes() {}

    /** Has them hold one page, 128 records. */
    static void shrink() {
        Map<String, List<Integer>> ends = new TreeMap<>();
        Descriptors.open().forEach((number, target) -> {
            if (target.startsWith("pipe:")) {
                ends.computeIfAbsent(target, pipe -> new ArrayList<>()).add(number);
            }
        });
        long found = ends.values().stream().filter(each -> each.size() > 1).count();
        if (found == 0) {
            throw new AssertionError("no pipe of a loop among " + ends);
        }
        for (List<Integer> each : ends.values()) {
            if (each.size() > 1) {
                int size = Sys.get().descriptors().resizePipe(each.get(0), 4096);
                if (size != 4096) {
                    throw new AssertionError("pages of " + size + " bytes");
                }
            }
        }
    }
}

package dev.carillon.signal;

import dev.carillon.sys.call.Sys;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The pipes of loops in this process: those that it has both ends of. */
final class OwnPipes {
    private OwnPipes() {}

    /** Has them hold one page, 128 records. */
    static void shrink() throws IOException {
        Map<String, List<Path>> ends;
        try (Stream<Path> all = Files.list(Path.of("/proc/self/fd"))) {
            ends = all.filter(Files::isSymbolicLink)
                    .filter(end -> target(end).startsWith("pipe:"))
                    .collect(Collectors.groupingBy(OwnPipes::target));
        }
        long found = ends.values().stream().filter(each -> each.size() > 1).count();
        if (found == 0) {
            throw new AssertionError("no pipe of a loop among " + ends);
        }
        for (List<Path> each : ends.values()) {
            if (each.size() > 1) {
                int number = Integer.parseInt(each.get(0).getFileName().toString());
                int size = Sys.get().descriptors().resizePipe(number, 4096);
                if (size != 4096) {
                    throw new AssertionError("pages of " + size + " bytes");
                }
            }
        }
    }

    private static String target(Path end) {
        try {
            return Files.readSymbolicLink(end).toString();
        } catch (IOException closedMeanwhile) {
            return "";
        }
    }
}

package dev.carillon.shm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.futex.EventCount;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** A change of the wall clock moves no deadline of a link: nothing that waits, or counts time, asks that clock. */
// r[verify shm.clock]
final class ClockTest {
    private static final List<String> WALL_CLOCKS =
            List.of("currentTimeMillis", "java/time/Instant", "java/time/Clock", "java/util/Date");

    /** The tool prints how old a link is, and no link waits for it. */
    private static final String TOOL = "inspect";

    @Test
    void nothingOfALinkAsksTheWallClock() throws Exception {
        int looked = 0;
        List<String> found = new ArrayList<>();
        for (Class<?> each : List.of(ShmLink.class, EventCount.class)) {
            Path root = Path.of(
                    each.getProtectionDomain().getCodeSource().getLocation().toURI());
            if (!Files.isDirectory(root)) {
                continue; // In a jar there is no folder to walk; Maven's test phase has classes.
            }
            String folder = each.getPackageName().replace('.', '/');
            try (Stream<Path> files = Files.walk(root.resolve(folder))) {
                for (Path file :
                        files.filter(path -> path.toString().endsWith(".class")).toList()) {
                    looked++;
                    String text = Files.readString(file, StandardCharsets.ISO_8859_1);
                    if (!file.toString().contains("/" + TOOL + "/")
                            && WALL_CLOCKS.stream().anyMatch(text::contains)) {
                        found.add(file.getFileName().toString());
                    }
                }
            }
        }
        int classes = looked;
        assertTrue(classes > 50, () -> "only " + classes + " classes were there to look at");
        assertEquals(List.of(), found);
    }
}

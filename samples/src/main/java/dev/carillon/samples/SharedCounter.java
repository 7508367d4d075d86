package dev.carillon.samples;

import dev.carillon.memory.MemoryRegion;
import dev.carillon.samples.words.Word;
import java.nio.file.Path;

/** Counts in a file in which other processes count at the same time. */
public final class SharedCounter {
    public static void main(String[] arguments) {
        if (!Word.fit("shared-counter [FILE [TIMES]]", arguments, Word.FILE, Word.TIMES)) {
            System.exit(2);
        }
        Path file = Path.of(arguments.length > 0 ? arguments[0] : "/dev/shm/carillon-counter");
        int times = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 1_000_000;
        try (MemoryRegion region = MemoryRegion.openOrCreateFile(file, Long.BYTES)) {
            System.out.println("counting from " + region.bytes().getLongAcquire(0));
            for (int i = 0; i < times; i++) {
                region.bytes().getAndAddLong(0, 1);
            }
            System.out.println("counted " + times + ", now " + region.bytes().getLongAcquire(0));
        }
    }
}

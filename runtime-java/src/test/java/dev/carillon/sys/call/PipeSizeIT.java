package dev.carillon.sys.call;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.carillon.sys.Fd;
import dev.carillon.test.ChildExit;
import dev.carillon.test.ChildJvm;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

final class PipeSizeIT {
    private static final Path LARGEST = Path.of("/proc/sys/fs/pipe-max-size");

    @Test
    void aUserWhoAsksForTooMuchGetsTheLargestPipeThereIs() throws Exception {
        Assumptions.assumeTrue(Sys.get().processes().uid() == 0, "only root can be another user");
        long largest = Long.parseLong(Files.readAllLines(LARGEST).get(0));
        Assumptions.assumeTrue(Long.bitCount(largest) == 1, "the limit is no power of two: " + largest);
        ChildExit exit = ChildJvm.of(Asks.class).user(65_534, 65_534).run(Duration.ofSeconds(60));
        assertEquals(List.of(Long.toString(largest)), exit.stdout(), exit::toString);
    }

    static final class Asks {
        private Asks() {}

        public static void main(String[] args) {
            Fd[] ends = Sys.get().descriptors().pipe(true);
            System.out.println(Sys.get().descriptors().resizePipe(ends[1].acquire(), 1 << 30));
        }
    }
}

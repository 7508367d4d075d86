package dev.carillon.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.carillon.test.proc.Descriptors;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Making a region with more and more heap, from none on: each allocation on the way is once the one that fails. */
final class RegionExhaustionIT {
    @TempDir
    Path folder;

    /** Not with java.lang.foreign: its calls allocate until they are compiled, also when C has returned already. */
    static List<Vm> vms() {
        return Vm.all().stream().filter(vm -> vm.libc().equals("jna")).toList();
    }

    // r[verify memory.nothing-left]
    @ParameterizedTest
    @MethodSource("vms")
    void anOutOfMemoryErrorLeavesNothing(Vm vm) {
        Vm.runToSuccess(vm.of(NoHeap.class, folder.toString())
                .vmFlags("-Xmx16m", "-XX:+UseSerialGC", "-XX:-UseTLAB", "-XX:-UseGCOverheadLimit"));
    }

    // r[verify memory.nothing-left]
    @Test
    void aRegionThatIsClosedIsNoLeak() throws InterruptedException {
        long leaked = MemoryRegion.stats().leaked();
        AtomicBoolean stop = new AtomicBoolean();
        Thread collector = new Thread(() -> {
            while (!stop.get()) {
                System.gc();
            }
        });
        collector.start();
        for (int i = 0; i < 3_000; i++) {
            MemoryRegion.anonymous(1).close();
        }
        stop.set(true);
        collector.join();
        assertEquals(
                leaked,
                MemoryRegion.stats().leaked(),
                () -> MemoryRegion.stats().toString());
    }

    static final class NoHeap {
        private static final int STEPS = 80;

        public static void main(String[] args) throws IOException {
            Path path = Path.of(args[0], "region");
            EnumSet<Seal> seals = EnumSet.allOf(Seal.class);
            for (int i = 0; i < 3; i++) {
                MemoryRegion.createFile(path, 1).close();
                Files.delete(path);
                MemoryRegion.memfd("warm", 1, seals).close();
            }
            Object[] hoard = new Object[100_000];
            int failed = 0;
            long openBefore = MemoryRegion.stats().open();
            for (int step = 0; step < STEPS; step++) {
                int held = fill(hoard);
                for (int i = 0; i < step && held > 0; i++) {
                    hoard[--held] = null;
                }
                MemoryRegion made = null;
                try {
                    made = step % 2 == 0 ? MemoryRegion.createFile(path, 1) : MemoryRegion.memfd("memfd", 1, seals);
                } catch (OutOfMemoryError expected) {
                    failed++;
                }
                Arrays.fill(hoard, null);
                if (made != null) {
                    made.close();
                    Files.deleteIfExists(path);
                }
                if (Files.exists(path)) {
                    throw new IllegalStateException("step " + step + " has left its file");
                }
            }
            long left = Descriptors.open().values().stream()
                    .filter(target -> target.startsWith(args[0]) || target.startsWith("/memfd:memfd"))
                    .count();
            long mapped;
            try (Stream<String> maps = Files.lines(Path.of("/proc/self/maps"))) {
                mapped = maps.filter(line -> line.contains(args[0]) || line.contains("/memfd:memfd"))
                        .count();
            }
            long open = MemoryRegion.stats().open() - openBefore;
            String result = left + " descriptors, " + mapped + " mappings, " + open + " regions left; " + failed
                    + " of " + STEPS + " failed";
            System.out.println(result);
            if (left != 0 || mapped != 0 || open != 0 || failed == 0) {
                throw new IllegalStateException(result);
            }
        }

        private static int fill(Object[] hoard) {
            int held = 0;
            for (int size = 1 << 20; size > 0; size >>= 6) {
                boolean full = false;
                while (!full) {
                    try {
                        hoard[held] = new byte[size];
                        held++;
                    } catch (OutOfMemoryError expected) {
                        full = true;
                    }
                }
            }
            return held;
        }
    }
}

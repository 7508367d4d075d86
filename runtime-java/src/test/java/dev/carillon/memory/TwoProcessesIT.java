package dev.carillon.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.carillon.test.ChildJvm;
import dev.carillon.test.ChildProcess;
import dev.carillon.test.Deadline;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A region in two processes, or one that this process may not have. */
final class TwoProcessesIT {
    private static final int SIZE = 4_096;
    private static final int LETTERS = 100_000;

    @TempDir
    Path folder;

    // r[verify memory.order]
    @ParameterizedTest
    @MethodSource("dev.carillon.memory.Vm#all")
    void whatAnotherProcessReleasesOverAMemfdIsSeenWhole(Vm vm) throws Exception {
        try (MemoryRegion region = MemoryRegion.memfd("mailbox", SIZE)) {
            String path = "/proc/" + ProcessHandle.current().pid() + "/fd/" + region.fd();
            assertAllLettersWhole(region, vm.of(Writer.class, path));
        }
    }

    @ParameterizedTest
    @MethodSource("dev.carillon.memory.Vm#all")
    void whatAnotherProcessReleasesOverAFileIsSeenWhole(Vm vm) throws Exception {
        Path path = folder.resolve("mailbox");
        try (MemoryRegion region = MemoryRegion.createFile(path, SIZE)) {
            assertAllLettersWhole(region, vm.of(Writer.class, path.toString()));
        }
    }

    private static void assertAllLettersWhole(MemoryRegion region, ChildJvm writer) throws Exception {
        Mailbox mailbox = new Mailbox(region.bytes());
        try (ChildProcess child = writer.start()) {
            assertEquals(0, Deadline.call(Vm.LIMIT, () -> mailbox.read(LETTERS)), "letters that were not whole");
            assertEquals(0, child.awaitExit(Vm.LIMIT).code());
        }
    }

    /** Writes letters into the region at a path. */
    static final class Writer {
        public static void main(String[] args) {
            try (MemoryRegion region = MemoryRegion.openFile(Path.of(args[0]), Access.READ_WRITE)) {
                new Mailbox(region.bytes()).write(LETTERS);
            }
        }
    }
}

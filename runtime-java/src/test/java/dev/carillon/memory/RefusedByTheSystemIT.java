package dev.carillon.memory;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.carillon.SyscallException;
import dev.carillon.sys.Errno;
import dev.carillon.test.ChildCommand;
import dev.carillon.test.ChildProcess;
import dev.carillon.test.proc.Descriptors;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A full file system and a file of somebody else, which need a child that root has prepared. */
final class RefusedByTheSystemIT {
    private static final int NOBODY = 65_534;

    @TempDir
    Path folder;

    // r[verify memory.reserve]
    @ParameterizedTest
    @MethodSource("dev.carillon.memory.Vm#all")
    void aFileThatDoesNotFitIsAnErrorAtOnceAndLeavesNothing(Vm vm) {
        assumeTrue(mayRun("unshare", "-m", "mount", "-t", "tmpfs", "tmpfs", folder.toString()), "needs root to mount");
        String script = "mount -t tmpfs -o size=1m tmpfs \"$0\" && exec \"$@\"";
        Vm.runToSuccess(vm.of(FullDisk.class, folder.toString())
                .prefix("unshare", "-m", "sh", "-c", script, folder.toString()));
    }

    @ParameterizedTest
    @MethodSource("dev.carillon.memory.Vm#all")
    void aFileOfAnotherUserIsRefused(Vm vm) throws IOException {
        assumeTrue(mayRun("setpriv", "--bounding-set=-all", "--inh-caps=-all", "true"), "needs root and setpriv");
        Path file = Files.write(folder.resolve("secret"), new byte[1]);
        Files.setAttribute(file, "unix:mode", 0600);
        Files.setAttribute(file, "unix:uid", NOBODY);
        Vm.runToSuccess(
                vm.of(Stranger.class, file.toString()).prefix("setpriv", "--bounding-set=-all", "--inh-caps=-all"));
    }

    private static boolean mayRun(String... command) {
        try (ChildProcess probe = ChildCommand.of(command).start()) {
            return probe.awaitExit(Vm.LIMIT).code() == 0;
        }
    }

    private static void expect(int errno, Supplier<MemoryRegion> region) {
        try (MemoryRegion made = region.get()) {
            throw new IllegalStateException("expected " + Errno.name(errno) + ", got " + made);
        } catch (SyscallException e) {
            if (e.errno() != errno) {
                throw e;
            }
            System.out.println(e.getMessage());
        }
    }

    /** Asks for more than the file system has, in each way that reserves storage. */
    static final class FullDisk {
        private static final int FITS = 512 * 1_024;
        private static final int TOO_MUCH = 2 * 1_024 * 1_024;

        public static void main(String[] args) throws IOException {
            Path disk = Path.of(args[0]);
            expect(Errno.ENOSPC, () -> MemoryRegion.createFile(disk.resolve("created"), TOO_MUCH));
            expect(Errno.ENOSPC, () -> MemoryRegion.openOrCreateFile(disk.resolve("either"), TOO_MUCH));
            try (Stream<Path> left = Files.list(disk)) {
                require(left.findAny().isEmpty(), "a file was left behind");
            }
            Path kept = disk.resolve("kept");
            MemoryRegion.createFile(kept, FITS).close();
            expect(Errno.ENOSPC, () -> MemoryRegion.openOrCreateFile(kept, TOO_MUCH));
            require(Files.size(kept) == FITS, "a file that was there before has changed");
            require(
                    Descriptors.open().values().stream().noneMatch(target -> target.startsWith(args[0])),
                    "a descriptor was left open");
        }

        private static void require(boolean fact, String otherwise) {
            if (!fact) {
                throw new IllegalStateException(otherwise);
            }
        }
    }

    /** Has root's number and none of root's rights. */
    static final class Stranger {
        public static void main(String[] args) {
            Path file = Path.of(args[0]);
            expect(Errno.EACCES, () -> MemoryRegion.openFile(file, Access.READ_ONLY));
            expect(Errno.EACCES, () -> MemoryRegion.openFile(file, Access.READ_WRITE));
            expect(Errno.EACCES, () -> MemoryRegion.openOrCreateFile(file, 1));
        }
    }
}

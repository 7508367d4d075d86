package dev.carillon.memory;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.carillon.SyscallException;
import dev.carillon.sys.Errno;
import dev.carillon.test.ChildCommand;
import dev.carillon.test.ChildProcess;
import dev.carillon.test.proc.Descriptors;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Files without storage behind all of their bytes, on a file system that has none left. */
final class LostPagesIT {
    private static final int PAGE = 4_096;

    @TempDir
    Path folder;

    /** A VM and the kind of the small file system that it works on. ext2 has no fallocate. */
    record World(Vm vm, String fileSystem) {}

    static List<World> worlds() {
        return on("tmpfs", "ext4", "ext2");
    }

    static List<World> worldsWithHoles() {
        return on("tmpfs", "ext4");
    }

    private static List<World> on(String... fileSystems) {
        return Vm.all().stream()
                .flatMap(vm -> Stream.of(fileSystems).map(fileSystem -> new World(vm, fileSystem)))
                .toList();
    }

    // r[verify memory.reserve]
    @ParameterizedTest
    @MethodSource("worlds")
    void aSparseFileIsRefusedForWritingWhereItsStorageIsMissing(World world) throws IOException {
        run(world, Sparse.class);
    }

    // r[verify memory.truncation]
    @ParameterizedTest
    @MethodSource("worldsWithHoles")
    void aHoleThatCannotBeFilledAgainIsAnExceptionOfEachAtomicAccess(World world) throws IOException {
        run(world, Punched.class, "1");
    }

    @ParameterizedTest
    @MethodSource("worldsWithHoles")
    void aHoleUnderCompiledCodeIsAnException(World world) throws IOException {
        run(world, Punched.class, "20000");
    }

    private void run(World world, Class<?> main, String... arguments) throws IOException {
        boolean memory = world.fileSystem.equals("tmpfs");
        assumeTrue(
                mayRun("unshare", "-m", "mount", "-t", "tmpfs", "tmpfs", folder.toString()),
                "needs root to mount a small file system");
        Path image = folder.resolve("image");
        if (!memory) {
            try (RandomAccessFile file = new RandomAccessFile(image.toFile(), "rw")) {
                file.setLength(4L << 20);
            }
            assumeTrue(mayRun("mkfs." + world.fileSystem, "-q", "-F", image.toString()), "needs mkfs");
            assumeTrue(
                    mayRun("unshare", "-m", "mount", "-o", "loop", image.toString(), folder.toString()),
                    "needs loop devices");
        }
        String mount = memory ? "mount -t tmpfs -o size=1m tmpfs \"$0\"" : "mount -o loop \"$0/image\" \"$0\"";
        String[] all = Stream.concat(Stream.of(folder.toString()), Stream.of(arguments))
                .toArray(String[]::new);
        Vm.runToSuccess(world.vm
                .of(main, all)
                .prefix("unshare", "-m", "sh", "-c", mount + " && exec \"$@\"", folder.toString()));
    }

    private static boolean mayRun(String... command) {
        try (ChildProcess probe = ChildCommand.of(command).start()) {
            return probe.awaitExit(Vm.LIMIT).code() == 0;
        }
    }

    private static void fill(Path disk) throws IOException {
        for (int attempt = 0; attempt < 2; attempt++) {
            Path filler = disk.resolve("filler");
            try (FileChannel channel = FileChannel.open(filler, StandardOpenOption.CREATE, StandardOpenOption.APPEND)) {
                while (channel.write(ByteBuffer.allocate(PAGE)) > 0) {
                    channel.force(false); // no block is promised that is not there
                }
            } catch (IOException full) {
                System.out.println(full.getMessage());
            }
        }
    }

    private static void require(boolean fact, String otherwise) {
        if (!fact) {
            throw new IllegalStateException(otherwise);
        }
    }

    /** Opens a file that is one hole. */
    static final class Sparse {
        public static void main(String[] args) throws IOException {
            Path disk = Path.of(args[0]);
            Path sparse = disk.resolve("sparse");
            try (RandomAccessFile file = new RandomAccessFile(sparse.toFile(), "rw")) {
                file.setLength(8 * PAGE);
            }
            MemoryRegion.openFile(sparse, Access.READ_WRITE).close();
            Files.delete(sparse);
            try (RandomAccessFile file = new RandomAccessFile(sparse.toFile(), "rw")) {
                file.setLength(8 * PAGE);
            }
            fill(disk);
            try (MemoryRegion region = MemoryRegion.openFile(sparse, Access.READ_WRITE)) {
                throw new IllegalStateException("no storage is left for " + region);
            } catch (SyscallException full) {
                require(full.errno() == Errno.ENOSPC, full.toString());
            }
            require(Files.size(sparse) == 8 * PAGE, "the file has changed");
            try (FileChannel channel = FileChannel.open(sparse, StandardOpenOption.READ, StandardOpenOption.WRITE);
                    MemoryRegion readOnly = MemoryRegion.openFile(sparse, Access.READ_ONLY)) {
                require(channel.isOpen() && readOnly.size() == 8 * PAGE, "not mapped for reading");
            }
            require(
                    Descriptors.open().values().stream().noneMatch(target -> target.startsWith(args[0])),
                    "a descriptor was left open");
        }
    }

    /** Uses each access on a page of its own; then another process takes all pages away, and the space too. */
    static final class Punched {
        public static void main(String[] args) throws IOException, InterruptedException {
            Path disk = Path.of(args[0]);
            int uses = Integer.parseInt(args[1]);
            int pages = AccessTable.ALL.size();
            Path file = disk.resolve("punched");
            Files.write(file, new byte[pages * PAGE]);
            try (MemoryRegion region = MemoryRegion.openFile(file, Access.READ_WRITE)) {
                OrderedBytes half = region.bytes().slice(PAGE / 2, region.size() - PAGE / 2);
                for (int page = 0; page < pages; page++) {
                    for (int turn = 0; turn < uses; turn++) {
                        AccessTable.ALL.get(page).at(half, page * PAGE);
                    }
                }
                punch(file, pages * PAGE);
                fill(disk);
                List<String> silent = new ArrayList<>();
                for (int page = 0; page < pages; page++) {
                    AccessTable access = AccessTable.ALL.get(page);
                    if (!faults(region, half, access, page) && access.writes()) {
                        silent.add(access.name());
                    }
                }
                require(silent.isEmpty(), "no exception from " + silent);
            }
        }

        private static void punch(Path file, int length) throws IOException, InterruptedException {
            Process another = new ProcessBuilder(
                            "fallocate", "--punch-hole", "-o", "0", "-l", Integer.toString(length), file.toString())
                    .inheritIO()
                    .start();
            require(another.waitFor() == 0, "fallocate of util-linux has failed");
        }

        private static boolean faults(MemoryRegion region, OrderedBytes bytes, AccessTable access, int page) {
            try {
                region.guarded(() -> {
                    access.at(bytes, page * PAGE);
                    return bytes;
                });
                return false;
            } catch (RegionTruncatedException expected) {
                require(!String.valueOf(expected.getMessage()).contains("truncated"), expected.toString());
                return true;
            }
        }
    }
}

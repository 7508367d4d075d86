package dev.carillon.memory;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Somebody truncates the file under a region; every access must end as an exception. */
final class TruncationIT {
    @TempDir
    Path folder;

    // r[verify memory.truncation]
    @ParameterizedTest
    @MethodSource("dev.carillon.memory.Vm#all")
    void aCodePathThatIsColdGetsATypedException(Vm vm) {
        Vm.runToSuccess(vm.of(Victim.class, folder.toString(), "1"));
    }

    @ParameterizedTest
    @MethodSource("dev.carillon.memory.Vm#all")
    void aCodePathThatIsLinkedAndInterpretedGetsATypedException(Vm vm) {
        Vm.runToSuccess(vm.of(Victim.class, folder.toString(), "50"));
    }

    @ParameterizedTest
    @MethodSource("dev.carillon.memory.Vm#all")
    void aCodePathThatIsCompiledGetsATypedException(Vm vm) {
        Vm.runToSuccess(vm.of(Victim.class, folder.toString(), "30000"));
    }

    /**
     * Uses each access on a file of its own, which is truncated after so many uses. A fault that the VM still held back
     * after that would come at the next system call, and end this VM.
     */
    static final class Victim {
        private static final int SIZE = 2 * 4_096;

        public static void main(String[] args) throws IOException {
            Path path = Path.of(args[0], "file-" + ProcessHandle.current().pid());
            int uses = Integer.parseInt(args[1]);
            List<String> silent = new ArrayList<>();
            for (AccessTable access : AccessTable.ALL) {
                if (!faults(path, uses, bytes -> access.at(bytes, 4_096))) {
                    silent.add(access.name());
                }
            }
            byte[] array = new byte[SIZE];
            if (!faults(path, uses, bytes -> bytes.getBytes(0, array, 0, SIZE))) {
                silent.add("getBytes");
            }
            if (!faults(path, uses, bytes -> bytes.putBytes(0, array, 0, SIZE))) {
                silent.add("putBytes");
            }
            if (!silent.isEmpty()) {
                throw new IllegalStateException("no exception from " + silent);
            }
        }

        private static boolean faults(Path path, int uses, Consumer<OrderedBytes> use) throws IOException {
            try (MemoryRegion region = MemoryRegion.createFile(path, SIZE)) {
                OrderedBytes bytes = region.bytes();
                for (int turn = 1; turn < uses; turn++) {
                    use.accept(bytes);
                }
                try (FileChannel channel = FileChannel.open(path, StandardOpenOption.WRITE)) {
                    channel.truncate(0);
                }
                try {
                    region.guarded(() -> {
                        use.accept(bytes);
                        return bytes;
                    });
                    return false;
                } catch (RegionTruncatedException expected) {
                    return true;
                }
            } finally {
                Files.delete(path);
            }
        }
    }
}

package dev.carillon.memory;

import java.io.File;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What the guard does not take, the VM's handler gets as before; and where there is no guard the look before is left. */
final class GuardChainIT {
    private static final int PAGE = 4_096;

    @TempDir
    private Path folder;

    // r[verify memory.atomic-loss]
    @ParameterizedTest
    @MethodSource("dev.carillon.memory.Vm#compiledAndInterpreted")
    void whatIsNoAtomicAccessToARegionIsTheVmsAsBefore(Vm vm) {
        Vm.runToSuccess(vm.of(Loads.class, folder.toString()));
    }

    // r[verify memory.guard]
    @ParameterizedTest
    @MethodSource("dev.carillon.memory.Vm#compiledAndInterpreted")
    void withoutTheGuardAnAtomicAccessLooksBefore(Vm vm) {
        Vm.runToSuccess(
                vm.of(TruncationIT.Victim.class, folder.toString(), "50").vmFlags("-Dcarillon.without=fault_guard"));
    }

    // r[verify memory.guard] r[verify memory.atomic-loss]
    @ParameterizedTest
    @MethodSource("dev.carillon.memory.Vm#compiledAndInterpreted")
    void twoCopiesInOneVmKnowTheirOwnRegions(Vm vm) {
        Vm.runToSuccess(vm.of(Copies.class, folder.toString()));
    }

    private static void truncate(Path file) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.truncate(0);
        }
    }

    private static void require(boolean fact, String otherwise) {
        if (!fact) {
            throw new IllegalStateException(otherwise);
        }
    }

    /** Fails if a file of the JDK's own that was truncated is not told by the VM. */
    private static void requireFaultOfOthers(Path folder) throws IOException {
        Path file = folder.resolve("of-others-" + ProcessHandle.current().pid());
        Files.write(file, new byte[2 * PAGE]);
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            MappedByteBuffer mapped = channel.map(FileChannel.MapMode.READ_WRITE, 0, 2 * PAGE);
            channel.truncate(0);
            requireFault(() -> mapped.get(PAGE));
            requireFault(() -> mapped.putLong(PAGE, 1));
        }
        Files.delete(file);
    }

    private static void requireFault(Callable<?> access) {
        try {
            Object read = access.call();
            VmFaults.handOut();
            throw new IllegalStateException("no fault: " + read);
        } catch (InternalError expected) {
            require(VmFaults.isOne(expected), expected.toString());
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    static final class Loads {
        public static void main(String[] args) throws IOException {
            Path file = Path.of(args[0], "file-" + ProcessHandle.current().pid());
            try (MemoryRegion region = MemoryRegion.createFile(file, 4 * PAGE)) {
                truncate(file);
                requireFault(() -> region.buffer().get(PAGE));
                requireFault(() -> region.bytes().getLongAcquire(PAGE));
                requireFault(() -> {
                    region.bytes().putInt(PAGE, 1);
                    return 1;
                });
                requireFaultOfOthers(Path.of(args[0]));
            }
        }
    }

    static final class Copies {
        public static void main(String[] args) throws Exception {
            String[] entries = System.getProperty("java.class.path").split(File.pathSeparator, -1);
            URL[] urls = new URL[entries.length];
            for (int i = 0; i < entries.length; i++) {
                urls[i] = Path.of(entries[i]).toUri().toURL();
            }
            ClassLoader loader = new URLClassLoader("second", urls, ClassLoader.getPlatformClassLoader());
            Copy first = new Copy(Copies.class.getClassLoader(), Path.of(args[0], "a"));
            Copy second = new Copy(loader, Path.of(args[0], "b"));
            Copy late = new Copy(Copies.class.getClassLoader(), Path.of(args[0], "c"));
            for (Copy copy : List.of(first, second, late)) {
                truncate(copy.file);
                copy.requireLoss();
            }
            requireFaultOfOthers(Path.of(args[0]));
        }
    }

    /** A region in a file, of the copy that a class loader has. */
    private static final class Copy {
        final Path file;
        private final Object bytes;

        Copy(ClassLoader loader, Path file) throws ReflectiveOperationException {
            this.file = file;
            Class<?> regions = Class.forName(MemoryRegion.class.getName(), true, loader);
            Object region =
                    regions.getMethod("createFile", Path.class, long.class).invoke(null, file, 2L * PAGE);
            bytes = regions.getMethod("bytes").invoke(region);
        }

        void requireLoss() throws ReflectiveOperationException {
            try {
                bytes.getClass()
                        .getMethod("compareAndSetLong", int.class, long.class, long.class)
                        .invoke(bytes, PAGE, 0L, 1L);
                throw new IllegalStateException("no loss in " + file);
            } catch (InvocationTargetException e) {
                String told = String.valueOf(e.getCause());
                require(told.contains("RegionTruncatedException"), told);
            }
        }
    }
}

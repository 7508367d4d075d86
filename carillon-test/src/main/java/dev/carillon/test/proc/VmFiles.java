package dev.carillon.test.proc;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;

/** The files that the VM opens for itself, when it wants to. */
public final class VmFiles {
    /** Class loaders open jars when a class is first needed; the recorder opens its chunk when it is switched on. */
    private static final List<String> FILE_ENDS = List.of(".jar", ".jmod", ".jfr");

    /**
     * Random numbers, counters of the VM for jps and jstat, symbols for perf, what libffi makes inside JNA, and the limits
     * of a container and free memory, which compiler threads and the garbage collector read for a moment at any time.
     */
    private static final List<String> FILE_STARTS = List.of(
            "/dev/random",
            "/dev/urandom",
            "/tmp/hsperfdata_",
            "/tmp/perf-",
            "/memfd:java_heap",
            "/tmp/ffi",
            "/sys/fs/cgroup/",
            "/proc/meminfo");

    private static final String JAVA_HOME = realJavaHome();

    private VmFiles() {}

    /** Whether a descriptor or a mapping of this file is the VM's own. */
    public static boolean contains(String path) {
        return FILE_ENDS.stream().anyMatch(path::endsWith)
                || FILE_STARTS.stream().anyMatch(path::startsWith)
                || path.startsWith(JAVA_HOME);
    }

    private static String realJavaHome() {
        try {
            return Path.of(System.getProperty("java.home")).toRealPath() + "/";
        } catch (IOException failure) {
            throw new UncheckedIOException("java.home does not name a folder", failure);
        }
    }
}

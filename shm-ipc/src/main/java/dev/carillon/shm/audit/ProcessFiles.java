package dev.carillon.shm.audit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** What /proc says of the descriptors and mappings of a process. It may end at any moment; so may each descriptor. */
public final class ProcessFiles {
    private static final Path PROC = Path.of("/proc");

    private ProcessFiles() {}

    /**
     * A descriptor of a process.
     *
     * @param pid whose it is
     * @param number of the descriptor there
     * @param target what it leads to, as the kernel says it: a path, {@code socket:[INODE]}, {@code /memfd:NAME (deleted)}
     */
    public record OpenFile(long pid, int number, String target) {
        /** What opens the same file again, with permission. */
        public Path path() {
            return PROC.resolve(pid + "/fd/" + number);
        }
    }

    /** The folder of a process in /proc, which is there as long as the process is. */
    public static Path folder(long pid) {
        return PROC.resolve(Long.toString(pid));
    }

    /** All processes that can be seen from here. */
    public static List<Long> pids() {
        List<Long> pids = new ArrayList<>();
        try (DirectoryStream<Path> folders = Files.newDirectoryStream(PROC, "[1-9]*")) {
            folders.forEach(folder -> pids.add(Long.parseLong(String.valueOf(folder.getFileName()))));
        } catch (IOException e) {
            throw new UncheckedIOException("/proc cannot be listed", e);
        }
        return pids;
    }

    /**
     * The descriptors of a process.
     *
     * @throws java.nio.file.NoSuchFileException if there is no such process
     * @throws java.nio.file.AccessDeniedException if this user may not look
     */
    public static List<OpenFile> of(long pid) throws IOException {
        List<OpenFile> open = new ArrayList<>();
        try (DirectoryStream<Path> links = Files.newDirectoryStream(folder(pid).resolve("fd"))) {
            for (Path link : links) {
                add(open, pid, link);
            }
        } catch (DirectoryIteratorException e) {
            throw e.getCause();
        }
        return open;
    }

    private static void add(List<OpenFile> open, long pid, Path link) throws IOException {
        try {
            String target = Files.readSymbolicLink(link).toString();
            open.add(new OpenFile(pid, Integer.parseInt(String.valueOf(link.getFileName())), target));
        } catch (NoSuchFileException closedMeanwhile) {
            return;
        }
    }

    /** As {@link #of}, of all processes into which this user may look. */
    public static List<OpenFile> ofAll() {
        List<OpenFile> open = new ArrayList<>();
        for (long pid : pids()) {
            try {
                open.addAll(of(pid));
            } catch (IOException goneOrAnothers) {
                // Its descriptors are not known, and nothing is said of them.
            }
        }
        return open;
    }
}

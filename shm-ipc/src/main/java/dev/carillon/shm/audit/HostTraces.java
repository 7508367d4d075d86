package dev.carillon.shm.audit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * What the hosts and guests of a process have open, which is nothing when all of them are closed.
 *
 * <p><b>Threading:</b> any thread.
 */
// r[impl shm.audit]
public final class HostTraces {
    private static final String MEMFD = "/memfd:carillon-link-";

    private HostTraces() {}

    /**
     * Descriptors and mappings of links.
     *
     * @throws UncheckedIOException if there is no such process, or this user may not look
     */
    public static List<Finding> ofProcess(long pid) {
        return of(pid, MEMFD);
    }

    /**
     * The directory of a host, what is in it, and what a process has open of it.
     *
     * @throws UncheckedIOException as {@link #ofProcess}
     */
    public static List<Finding> ofDirectory(long pid, Path directory) {
        List<Finding> left = new ArrayList<>(of(pid, directory.toAbsolutePath().toString()));
        if (Files.exists(directory, LinkOption.NOFOLLOW_LINKS)) {
            left.add(new Finding(Rule.LEFTOVERS, directory.toString(), "the directory is still there"));
        }
        return left;
    }

    private static List<Finding> of(long pid, String name) {
        List<Finding> left = new ArrayList<>();
        Path maps = ProcessFiles.folder(pid).resolve("maps");
        try (Stream<String> lines = Files.lines(maps)) {
            lines.filter(line -> line.contains(name))
                    .forEach(line -> left.add(new Finding(Rule.LEFTOVERS, "mapping of pid " + pid, line)));
            ProcessFiles.of(pid).stream()
                    .filter(open -> open.target().startsWith(name))
                    .forEach(open -> left.add(new Finding(
                            Rule.LEFTOVERS, "descriptor of pid " + pid, open.number() + " is " + open.target())));
        } catch (IOException e) {
            throw new UncheckedIOException("pid=" + pid + ": its descriptors and mappings cannot be read", e);
        }
        return left;
    }
}

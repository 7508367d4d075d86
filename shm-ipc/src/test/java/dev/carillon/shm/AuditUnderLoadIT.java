package dev.carillon.shm;

import static dev.carillon.shm.LinkPair.LIMIT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.memory.Access;
import dev.carillon.memory.MemoryRegion;
import dev.carillon.shm.audit.AuditReport;
import dev.carillon.shm.audit.DoorbellAudit;
import dev.carillon.shm.audit.Finding;
import dev.carillon.shm.audit.LinkAudit;
import dev.carillon.shm.audit.LinkLook;
import dev.carillon.shm.audit.Moment;
import dev.carillon.shm.audit.ProcessFiles;
import dev.carillon.shm.audit.ProcessFiles.OpenFile;
import dev.carillon.shm.segment.SegmentHeader;
import dev.carillon.test.ChildProcess;
import dev.carillon.test.Deadline;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Links between other processes, looked at from here: under load, when they are quiet, stopped, and killed. */
// r[verify shm.audit]
final class AuditUnderLoadIT {
    private static final int LOOKS = 3_000;
    private static final Duration START = Duration.ofSeconds(90);

    @TempDir
    private Path folder;

    /** The links of a host whose guests have all sent. */
    private static List<Path> links(ChildProcess host, int guests) {
        Deadline deadline = Deadline.after(START);
        // While a guest is spawned there are more descriptors, for a moment.
        for (int number = 1; number <= guests; number++) {
            String last = "guest " + number + " pid=";
            deadline.await(last, () -> host.stdout().stream().anyMatch(line -> line.startsWith(last)));
        }
        List<Path> links = links(host);
        assertEquals(guests, links.size());
        links.forEach(link -> deadline.await("frames come on " + link, () -> published(link) > 1_000));
        return links;
    }

    private static List<Path> links(ChildProcess host) {
        try {
            return ProcessFiles.of(host.pid()).stream()
                    .filter(open -> open.target().contains("link-"))
                    .sorted(Comparator.comparing(OpenFile::target))
                    .map(OpenFile::path)
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static long published(Path link) {
        try (MemoryRegion region = MemoryRegion.openFile(link, Access.READ_ONLY)) {
            SegmentHeader header = SegmentHeader.readFrom(region.bytes());
            return new LinkLook(region.bytes(), header).toHost().published();
        }
    }

    private static long guest(ChildProcess host, int number) {
        String start = "guest " + number + " pid=";
        return host.stdout().stream()
                .filter(line -> line.startsWith(start))
                .map(line -> Long.parseLong(line.substring(start.length())))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void nothingIsFoundUnderLoadNorWhenItIsQuiet() throws Exception {
        try (ChildProcess host =
                LoadHost.with("memfd", "-", "plain", "channels").start()) {
            List<Path> links = links(host, 2);
            List<Finding> bells = new ArrayList<>();
            for (int i = 0; i < LOOKS; i++) {
                AuditReport report = LinkAudit.of(links.get(i % 2));
                assertTrue(report.isClean(), report::toString);
            }
            for (int number = 1; number <= 2; number++) {
                bells.addAll(DoorbellAudit.between(host.pid(), guest(host, number)));
            }
            assertEquals(List.of(), bells);
            host.writeLine("pause");
            host.awaitLine("guest 1 sent ", LIMIT);
            host.awaitLine("guest 2 sent ", LIMIT);
            for (Path link : links) {
                Deadline.after(LIMIT)
                        .await(
                                "it is quiet: " + LinkAudit.of(link, Moment.QUIET),
                                () -> LinkAudit.of(link, Moment.QUIET).isClean());
            }
        }
    }

    @Test
    void nothingIsFoundWhereAGuestWasStoppedOrKilledAnywhere() throws Exception {
        try (ChildProcess host = LoadHost.with("files", folder.resolve("host").toString(), "plain", "channels")
                .start()) {
            List<Path> links = links(host, 2);
            for (int i = 0; i < 60; i++) {
                for (int number = 1; number <= 2; number++) {
                    signal("-STOP", guest(host, number));
                    AuditReport report = LinkAudit.of(links.get(number - 1));
                    assertTrue(report.isClean(), report::toString);
                    signal("-CONT", guest(host, number));
                }
            }
            signal("-KILL", guest(host, 1));
            signal("-KILL", guest(host, 2));
            for (Path link : links) {
                AuditReport report = LinkAudit.of(link);
                assertTrue(report.isClean(), report::toString);
            }
        }
    }

    private static void signal(String name, long pid) throws Exception {
        assertEquals(
                0, new ProcessBuilder("kill", name, Long.toString(pid)).start().waitFor());
    }
}

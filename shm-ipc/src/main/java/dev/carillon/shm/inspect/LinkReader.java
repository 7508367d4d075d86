package dev.carillon.shm.inspect;

import dev.carillon.SyscallException;
import dev.carillon.memory.Access;
import dev.carillon.memory.MemoryRegion;
import dev.carillon.memory.RegionTruncatedException;
import dev.carillon.shm.audit.AuditReport;
import dev.carillon.shm.audit.DirectionLook;
import dev.carillon.shm.audit.DoorbellAudit;
import dev.carillon.shm.audit.Finding;
import dev.carillon.shm.audit.LinkAudit;
import dev.carillon.shm.audit.LinkLook;
import dev.carillon.shm.audit.Moment;
import dev.carillon.shm.audit.ProcessFiles;
import dev.carillon.shm.audit.ProcessFiles.OpenFile;
import dev.carillon.shm.segment.FaultySegmentException;
import dev.carillon.shm.segment.SegmentHeader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Reads links, and remembers how far they were.
 *
 * <p>Each is mapped read-only, read once, and let go: whoever writes there notices nothing.
 */
// r[impl shm.inspect]
final class LinkReader {
    private static final double NANOS = 1e9;

    private Map<String, Before> before = new HashMap<>();

    /** How far a link was. */
    private record Before(long nanos, long toGuest, long toHost) {}

    /** Reads all of them; those that have ended meanwhile are told. */
    Screen read(FoundLinks found) {
        List<SeenLink> seen = new ArrayList<>();
        List<Screen.Failed> failed = new ArrayList<>();
        Map<String, Before> now = new HashMap<>();
        for (LinkFile file : found.links()) {
            try {
                seen.add(read(file, now));
            } catch (FaultySegmentException faulty) {
                failed.add(new Screen.Failed(file, "it is no link: " + faulty.getMessage(), false));
            } catch (SyscallException e) {
                failed.add(refused(file, e));
            } catch (RegionTruncatedException | IllegalArgumentException e) {
                failed.add(new Screen.Failed(file, "it was truncated", false));
            }
        }
        before = now;
        return new Screen(found.of(), withBells(seen), failed);
    }

    private static Screen.Failed refused(LinkFile file, SyscallException e) {
        boolean forbidden = e.errnoName().equals("EACCES") || e.errnoName().equals("EPERM");
        return new Screen.Failed(
                file,
                forbidden
                        ? "it is another user's: look as that user (sudo -u) or as root"
                        : "it has ended (" + e.errnoName() + ")",
                forbidden);
    }

    private SeenLink read(LinkFile file, Map<String, Before> now) {
        LinkLook look = look(file);
        long nanos = System.nanoTime();
        String key = look.header().identity().linkId();
        Before then = before.get(key);
        now.put(key, new Before(nanos, look.toGuest().head(), look.toHost().head()));
        return new SeenLink(
                file,
                look,
                LinkAudit.of(look, Moment.ANY),
                age(file),
                then == null ? SeenLink.UNKNOWN : rate(look.toGuest(), then.toGuest(), nanos - then.nanos()),
                then == null ? SeenLink.UNKNOWN : rate(look.toHost(), then.toHost(), nanos - then.nanos()));
    }

    private static LinkLook look(LinkFile file) {
        try (MemoryRegion region = MemoryRegion.openFile(file.path(), Access.READ_ONLY)) {
            return region.guarded(() -> new LinkLook(region.bytes(), SegmentHeader.readFrom(region.bytes())));
        }
    }

    private static double rate(DirectionLook look, long before, long nanos) {
        return Math.max(0, look.head() - before) * NANOS / Math.max(1, nanos);
    }

    private static long age(LinkFile file) {
        try {
            long made = Files.readAttributes(file.path(), BasicFileAttributes.class)
                    .creationTime()
                    .toMillis();
            return Math.max(0, (System.currentTimeMillis() - made) / 1_000);
        } catch (IOException ended) {
            return 0;
        }
    }

    /** While a guest comes, its host has both ends for a moment: what is found then is asked for again. */
    private static List<SeenLink> withBells(List<SeenLink> seen) {
        if (seen.stream().noneMatch(LinkReader::hasBell)) {
            return seen;
        }
        List<OpenFile> open = ProcessFiles.ofAll();
        return seen.stream()
                .map(link -> hasBell(link) ? withBell(link, open) : link)
                .toList();
    }

    private static boolean hasBell(SeenLink link) {
        return link.isAttached() && link.host() == ProcessState.ALIVE && link.guest() == ProcessState.ALIVE;
    }

    private static SeenLink withBell(SeenLink link, List<OpenFile> open) {
        int host = link.identity().hostPid();
        List<Finding> bells = DoorbellAudit.between(open, host, link.guestPid());
        if (bells.isEmpty()) {
            return link;
        }
        List<Finding> all = new ArrayList<>(link.report().violations());
        bells.stream()
                .filter(DoorbellAudit.between(host, link.guestPid())::contains)
                .forEach(all::add);
        AuditReport report = new AuditReport(all, link.report().remains());
        return new SeenLink(link.file(), link.look(), report, link.ageSeconds(), link.toGuest(), link.toHost());
    }
}

package dev.carillon.shm.audit;

import dev.carillon.memory.Access;
import dev.carillon.memory.MemoryRegion;
import dev.carillon.memory.OrderedBytes;
import dev.carillon.shm.segment.FaultySegmentException;
import dev.carillon.shm.segment.SegmentHeader;
import java.nio.file.Path;

/**
 * Looks at the memory of a link, and says which invariants do not hold: those that its bytes show, 1 to 4, and 6 where it is told that
 * all is quiet. {@link DoorbellAudit} has 5, and {@link HostTraces} 7.
 *
 * <pre>{@code
 * AuditReport report = LinkAudit.of(Path.of("/proc/4711/fd/9"));
 * assertTrue(report.isClean(), report::toString);
 * }</pre>
 *
 * <p>It only reads, and it may look at any moment: a link under load has no violation either, nor one whose sides were stopped or
 * killed at any instruction.
 *
 * <p><b>Threading:</b> any thread.
 */
// r[impl shm.audit]
public final class LinkAudit {
    private LinkAudit() {}

    /**
     * Looks at a file of a host, or at a memfd as /proc/PID/fd/N.
     *
     * @throws dev.carillon.SyscallException if it cannot be opened
     * @throws dev.carillon.memory.RegionTruncatedException if it is truncated meanwhile
     */
    public static AuditReport of(Path path) {
        return of(path, Moment.ANY);
    }

    /** As {@link #of(Path)}, at a known moment. */
    public static AuditReport of(Path path, Moment moment) {
        try (MemoryRegion region = MemoryRegion.openFile(path, Access.READ_ONLY)) {
            return of(region, moment);
        }
    }

    /** As {@link #of(Path)}, of a descriptor, which stays the caller's. */
    public static AuditReport ofDescriptor(int fd, Moment moment) {
        try (MemoryRegion region = MemoryRegion.ofDescriptor(fd, Access.READ_ONLY)) {
            return of(region, moment);
        }
    }

    /** As {@link #of(Path)}, of memory that is mapped. */
    public static AuditReport of(MemoryRegion region, Moment moment) {
        return region.guarded(() -> of(region.bytes(), moment));
    }

    /** As {@link #of(Path)}, of bytes that nobody can truncate. What reads the header compares all regions with its configuration. */
    public static AuditReport of(OrderedBytes bytes, Moment moment) {
        SegmentHeader header;
        try {
            header = SegmentHeader.readFrom(bytes);
        } catch (FaultySegmentException faulty) {
            Findings findings = new Findings(moment);
            findings.violation(Rule.REGIONS, "header", String.valueOf(faulty.getMessage()));
            return findings.report();
        }
        return of(new LinkLook(bytes, header), moment);
    }

    /** What is wrong with what was read. */
    public static AuditReport of(LinkLook look, Moment moment) {
        Findings findings = new Findings(moment);
        WordCheck.check(look, findings);
        direction(look.toGuest(), "to guest", true, findings);
        direction(look.toHost(), "to host", false, findings);
        return findings.report();
    }

    private static void direction(DirectionLook look, String name, boolean fromHost, Findings findings) {
        new RingCheck(look, name, fromHost, findings).check();
        new SlotCheck(look, name, findings).check();
        new CreditCheck(look, name, findings).check();
        new SleepCheck(look, name, findings).check();
    }
}

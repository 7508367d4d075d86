package dev.carillon.shm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.memory.Access;
import dev.carillon.memory.MemoryRegion;
import dev.carillon.memory.OrderedBytes;
import dev.carillon.shm.audit.AuditReport;
import dev.carillon.shm.audit.Finding;
import dev.carillon.shm.audit.LinkAudit;
import dev.carillon.shm.audit.Moment;
import dev.carillon.shm.audit.Rule;
import dev.carillon.shm.segment.DirectionLayout;
import dev.carillon.shm.segment.SegmentHeader;
import java.util.List;

/** A link whose memory a test can write to, and have looked at. */
final class AuditedLink implements AutoCloseable {
    final LinkPair pair;
    final MemoryRegion memory;
    final OrderedBytes bytes;
    final SegmentHeader header;

    AuditedLink(LinkConfig config) {
        this(config, 0);
    }

    AuditedLink(LinkConfig config, long start) {
        pair = new LinkPair(config, start);
        memory = MemoryRegion.ofDescriptor(pair.ticket.memoryNumber(), Access.READ_WRITE);
        bytes = memory.bytes();
        header = SegmentHeader.readFrom(bytes);
    }

    DirectionLayout toGuest() {
        return header.layout().toGuest();
    }

    DirectionLayout toHost() {
        return header.layout().toHost();
    }

    AuditReport look(Moment moment) {
        return LinkAudit.ofDescriptor(pair.ticket.memoryNumber(), moment);
    }

    void assertClean(Moment moment) {
        AuditReport report = look(moment);
        assertTrue(report.isClean(), report::toString);
    }

    /** What was planted is found at any moment, and nothing else is. */
    void assertFinds(Rule rule, String place, String words) {
        assertOnly(look(Moment.ANY).violations(), rule, place, words);
    }

    /** It may be so in a call that is under way, and not where all is quiet. */
    void assertFindsInQuiet(Rule rule, String place, String words) {
        assertClean(Moment.ANY);
        assertOnly(look(Moment.ANY).remains(), rule, place, words);
        assertOnly(look(Moment.QUIET).violations(), rule, place, words);
    }

    private static void assertOnly(List<Finding> found, Rule rule, String place, String words) {
        assertEquals(1, found.size(), found::toString);
        Finding finding = found.get(0);
        assertEquals(rule, finding.rule(), finding::toString);
        assertEquals(place, finding.place());
        assertTrue(finding.what().contains(words), finding::toString);
    }

    @Override
    public void close() {
        pair.close();
        memory.close();
    }
}

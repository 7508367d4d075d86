package dev.carillon.shm.audit;

import dev.carillon.memory.OrderedBytes;
import dev.carillon.shm.segment.SegmentHeader;
import dev.carillon.shm.segment.SegmentLayout;

/**
 * All of a link but its payloads, read once and kept: for whoever shows it, and for {@link LinkAudit}.
 *
 * <p><b>Threading:</b> immutable.
 */
public final class LinkLook {
    private static final int FRONT = SegmentLayout.FIRST_REGION - SegmentLayout.LINK_WORD;

    private final SegmentHeader header;
    private final long firstWord;
    private final long[] front = new long[FRONT / Long.BYTES];
    private final DirectionLook toGuest;
    private final DirectionLook toHost;
    private final long word;

    /**
     * Reads it.
     *
     * @param header what {@link SegmentHeader#readFrom} has said of the same bytes
     */
    public LinkLook(OrderedBytes bytes, SegmentHeader header) {
        this.header = header;
        firstWord = bytes.getLongAcquire(SegmentLayout.LINK_WORD);
        for (int i = 0; i < front.length; i++) {
            front[i] = bytes.getLongAcquire(SegmentLayout.LINK_WORD + i * Long.BYTES);
        }
        toGuest = new DirectionLook(bytes, header.layout().toGuest());
        toHost = new DirectionLook(bytes, header.layout().toHost());
        word = bytes.getLongAcquire(SegmentLayout.LINK_WORD);
    }

    /** What the memory is. */
    public SegmentHeader header() {
        return header;
    }

    /** The link word, which may have no meaning. */
    public long word() {
        return word;
    }

    /** The link word as it was when the look began. */
    long firstWord() {
        return firstWord;
    }

    /** The long at an offset between the header and the first region. */
    long front(int offset) {
        return front[(offset - SegmentLayout.LINK_WORD) / Long.BYTES];
    }

    /** The direction from host to guest. */
    public DirectionLook toGuest() {
        return toGuest;
    }

    /** The direction from guest to host. */
    public DirectionLook toHost() {
        return toHost;
    }
}

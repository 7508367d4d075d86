package dev.carillon.shm.segment;

import dev.carillon.memory.OrderedBytes;

/**
 * The part of a segment that says what it is and never changes.
 *
 * <p><b>Threading:</b> immutable.
 *
 * <p><b>Order:</b> whoever reads the header sees all that its host wrote to the memory before {@link #writeTo}.
 *
 * @param identity whose memory it is
 * @param layout where everything is
 * @param heartbeatMillis how often each side shows that it lives; 0 is never
 */
public record SegmentHeader(SegmentIdentity identity, SegmentLayout layout, int heartbeatMillis) {
    /** Refuses a heartbeat that nobody wants, with an IllegalArgumentException that says what to take instead. */
    public SegmentHeader {
        Limits.range("heartbeat", heartbeatMillis, 0, Limits.MAX_HEARTBEAT_MILLIS, "milliseconds, or 0 for none");
    }

    /**
     * Writes it to the start of a new segment, all of whose bytes are still 0.
     *
     * @throws IllegalArgumentException if the segment does not fit
     */
    // r[impl shm.header]
    public void writeTo(OrderedBytes memory) {
        if (memory.size() < layout.total()) {
            throw new IllegalArgumentException("size=" + memory.size() + ": the segment has " + layout.total()
                    + " bytes; make the memory that large");
        }
        store(HeaderWriter.bytes(this), memory);
    }

    /** Last comes the magic, and with release: who sees it sees the rest. */
    static void store(byte[] bytes, OrderedBytes memory) {
        int behindMagic = HeaderFields.MAGIC + Long.BYTES;
        memory.putBytes(behindMagic, bytes, behindMagic, bytes.length - behindMagic);
        memory.putLongRelease(HeaderFields.MAGIC, HeaderFields.OUR_MAGIC);
    }

    /**
     * Reads it from memory that somebody else has written, and may write while this runs. Where somebody can truncate it
     * as well, call this in {@link dev.carillon.memory.MemoryRegion#guarded}.
     *
     * @throws FaultySegmentException if it cannot be believed, with the reason
     */
    // r[impl shm.header]
    public static SegmentHeader readFrom(OrderedBytes memory) {
        int size = memory.size();
        if (size < SegmentLayout.FIRST_REGION) {
            throw HeaderReader.tooShort(size, SegmentLayout.FIRST_REGION);
        }
        HeaderReader.checkMagic(memory.getLongAcquire(HeaderFields.MAGIC));
        // From here on only the copy counts: what the host changes later changes nothing.
        byte[] copy = new byte[SegmentLayout.HEADER_BYTES];
        memory.getBytes(0, copy, 0, copy.length);
        return new HeaderReader(copy).read(size);
    }
}

package dev.carillon.shm.segment;

/** What is in the line of a side, from {@link SegmentLayout#HOST_LINE} or {@link SegmentLayout#GUEST_LINE}. */
public final class SideLine {
    /** Where the u32 with the side's state is; only that side stores there. */
    public static final int STATE = 0;

    /** Where the u64 is that goes up with each heartbeat. */
    public static final int BEATS = 8;

    /** State: it has not come yet. */
    public static final int ABSENT = 0;

    /** State: it is there. */
    public static final int PRESENT = 1;

    /** State: it sends no more data. */
    public static final int LEAVING = 2;

    /** State: it does not touch the memory again; this store was its last. */
    public static final int GONE = 3;

    private SideLine() {}
}

package dev.carillon.memory;

/**
 * How many regions this process has and had.
 *
 * @param open mapped and not closed
 * @param retained closed, but with views that are still reachable: they keep addresses, and no memory
 * @param stuck closed, but the kernel refused to take the pages away (a part of {@code retained})
 * @param leaked never closed: they became unreachable, and were unmapped by the garbage collector
 * @param lastLeak the last of these, or an empty string
 */
public record RegionStats(long open, long retained, long stuck, long leaked, String lastLeak) {}

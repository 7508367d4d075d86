package dev.carillon.sys.call;

/**
 * A limit of the process, see prlimit(2).
 *
 * @param soft what holds now; -1 is no limit
 * @param hard how far the soft one may be raised
 */
public record Limit(long soft, long hard) {}

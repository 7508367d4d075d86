package dev.carillon.benchmarks.stats;

/**
 * What the probe found between two rounds.
 *
 * @param spinNanos a cache line's way to the other core and back; NaN where there is one core only
 * @param loopNanos a fixed arithmetic loop
 */
public record HostState(double spinNanos, double loopNanos) {}

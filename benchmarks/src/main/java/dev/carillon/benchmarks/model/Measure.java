package dev.carillon.benchmarks.model;

/** How the numbers in a worker's answer are read. */
public enum Measure {
    /** One number: nanoseconds for all operations of the round. The 99th percentile is over rounds. */
    TOTAL,
    /** One number an operation: its own nanoseconds. The 99th percentile is over all samples. */
    SAMPLES,
    /** One number: the figure itself, already in the unit. The 99th percentile is over rounds. */
    VALUE
}

package dev.carillon.benchmarks.model;

/** Where the threads that work are kept. */
public enum Placement {
    /** Every thread on one core. */
    ONE_CORE,
    /** The two sides on two cores. */
    TWO_CORES,
    /** Wherever the kernel likes. */
    FREE
}

package dev.carillon.benchmarks.model;

/** What a figure counts, and which way is better. */
public enum MeasureUnit {
    /** Nanoseconds for one operation. */
    NANOS_PER_OP("ns/op", true),
    /** Operations in one second. */
    OPS_PER_SECOND("ops/s", false),
    /** Milliseconds of wall time for one operation. */
    MILLIS("ms", true),
    /** Bytes of garbage for one operation. */
    BYTES_PER_OP("B/op", true),
    /** Resident memory. */
    MEBIBYTES("MiB", true),
    /** Memory of one of many. */
    KIBIBYTES("KiB", true),
    /** Descriptors of one of many. */
    DESCRIPTORS("fds", true);

    private final String label;
    private final boolean lowerIsBetter;

    MeasureUnit(String label, boolean lowerIsBetter) {
        this.label = label;
        this.lowerIsBetter = lowerIsBetter;
    }

    /** Returns the unit as it is printed. */
    public String label() {
        return label;
    }

    /** Returns whether a smaller figure is the better one. */
    public boolean lowerIsBetter() {
        return lowerIsBetter;
    }

    /**
     * Returns the figure in this unit for a worker's total time over a number of operations.
     *
     * @throws IllegalStateException if the unit does not measure time
     */
    public double ofTotal(double nanos, long ops) {
        return switch (this) {
            case NANOS_PER_OP -> nanos / ops;
            case OPS_PER_SECOND -> ops * 1e9 / nanos;
            case MILLIS -> nanos / ops / 1e6;
            case BYTES_PER_OP, MEBIBYTES, KIBIBYTES, DESCRIPTORS ->
                throw new IllegalStateException("unit=" + label + " does not measure time");
        };
    }

    /** Returns whether the first figure is better than the second. */
    public boolean better(double first, double second) {
        return lowerIsBetter ? first < second : first > second;
    }
}

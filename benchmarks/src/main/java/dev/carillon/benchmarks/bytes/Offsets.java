package dev.carillon.benchmarks.bytes;

/** Which bytes are accessed: one after the other, and round again. */
final class Offsets {
    /** Small enough for the first cache, so that the access is what costs. */
    static final int SIZE = 4096;

    private Offsets() {}

    static int after(int offset, int step) {
        return (offset + step) & (SIZE - 1);
    }
}

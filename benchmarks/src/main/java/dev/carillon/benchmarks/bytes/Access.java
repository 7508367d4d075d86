package dev.carillon.benchmarks.bytes;

/**
 * One access to shared bytes.
 *
 * @param <B> what is accessed
 */
@FunctionalInterface
interface Access<B> {
    /**
     * Makes it.
     *
     * @param value what a store writes
     * @return what a load finds; anything after a store
     */
    long at(B bytes, int offset, long value);
}

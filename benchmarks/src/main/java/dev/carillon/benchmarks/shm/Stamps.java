package dev.carillon.benchmarks.shm;

import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/** All eight stamps of a message in a buffer of Agrona's, by hand, as in C. */
final class Stamps {
    private Stamps() {}

    static void put(MutableDirectBuffer buffer, int at, long number) {
        buffer.putLong(at, number);
        buffer.putLong(at + 8, number + 1);
        buffer.putLong(at + 16, number + 2);
        buffer.putLong(at + 24, number + 3);
        buffer.putLong(at + 32, number + 4);
        buffer.putLong(at + 40, number + 5);
        buffer.putLong(at + 48, number + 6);
        buffer.putLong(at + 56, number + 7);
    }

    static long sum(DirectBuffer buffer, int at) {
        return buffer.getLong(at)
                + buffer.getLong(at + 8)
                + buffer.getLong(at + 16)
                + buffer.getLong(at + 24)
                + buffer.getLong(at + 32)
                + buffer.getLong(at + 40)
                + buffer.getLong(at + 48)
                + buffer.getLong(at + 56);
    }
}

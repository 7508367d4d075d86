package dev.carillon.benchmarks.shm;

/**
 * What messages are like. Each carries stamps: the first is its number, every other one the number after the one before.
 * So the receiver sees what is missing, twice there or in the wrong place, and the sum of all stamps is known.
 *
 * @param bytes of a message
 * @param stride from one stamp to the next: a copy would hide behind a stamp in each word of a long message
 * @param batch how many messages are made visible together, by a way that can do so
 */
record Traffic(int bytes, int stride, int batch) {
    private static final int PAGE = 4_096;

    /** Messages that fit into an entry of a ring; every word is a stamp. */
    static Traffic small(int batch) {
        return new Traffic(64, Long.BYTES, batch);
    }

    /** Messages of many pages, each visible as soon as it is written; a stamp in each page. */
    static Traffic large(int bytes) {
        return new Traffic(bytes, PAGE, 1);
    }

    /** How many stamps a message has. */
    int stamps() {
        return bytes / stride;
    }

    /** The sum of all stamps of so many messages. */
    long sum(long first, long count) {
        long numbers = count * first + count * (count - 1) / 2;
        return stamps() * numbers + count * (stamps() * (stamps() - 1L) / 2);
    }

    boolean isSmall() {
        return stride == Long.BYTES;
    }
}

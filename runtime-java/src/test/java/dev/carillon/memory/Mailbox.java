package dev.carillon.memory;

/**
 * One letter of seven longs, its number, and the number of the last letter that was read: enough to see a store that
 * overtook another, since each letter is written over the one before.
 */
final class Mailbox {
    private static final int LETTER = 0;
    private static final int LETTER_LONGS = 7;
    private static final int WRITTEN = 128;
    private static final int READ = 256;

    private final OrderedBytes bytes;

    Mailbox(OrderedBytes bytes) {
        this.bytes = bytes;
    }

    void write(int letters) {
        for (long letter = 1; letter <= letters; letter++) {
            while (bytes.getLongAcquire(READ) != letter - 1) {
                Thread.onSpinWait();
            }
            for (int part = 0; part < LETTER_LONGS; part++) {
                bytes.putLong(LETTER + part * Long.BYTES, letter * (part + 1));
            }
            bytes.putLongRelease(WRITTEN, letter);
        }
    }

    /** The number of letters that were not whole. */
    int read(int letters) {
        int torn = 0;
        for (long letter = 1; letter <= letters; letter++) {
            while (bytes.getLongAcquire(WRITTEN) != letter) {
                Thread.onSpinWait();
            }
            for (int part = 0; part < LETTER_LONGS; part++) {
                if (bytes.getLong(LETTER + part * Long.BYTES) != letter * (part + 1)) {
                    torn++;
                    break;
                }
            }
            bytes.putLongRelease(READ, letter);
        }
        return torn;
    }
}

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
    private static final int LOOKS = 1_000;

    private final OrderedBytes bytes;

    Mailbox(OrderedBytes bytes) {
        this.bytes = bytes;
    }

    void write(int letters) {
        for (long letter = 1; letter <= letters; letter++) {
            await(READ, letter - 1);
            for (int part = 0; part < LETTER_LONGS; part++) {
                bytes.putLong(LETTER + part * Long.BYTES, letter * (part + 1));
            }
            bytes.putLongRelease(WRITTEN, letter);
        }
    }

    /** Where both have but one processor, it is given away: else each letter would take a time slice. */
    @SuppressWarnings("ThreadPriorityCheck")
    private void await(int offset, long number) {
        for (int looks = 1; bytes.getLongAcquire(offset) != number; looks++) {
            if (looks % LOOKS == 0) {
                Thread.yield();
            } else {
                Thread.onSpinWait();
            }
        }
    }

    /** The number of letters that were not whole. */
    int read(int letters) {
        int torn = 0;
        for (long letter = 1; letter <= letters; letter++) {
            await(WRITTEN, letter);
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

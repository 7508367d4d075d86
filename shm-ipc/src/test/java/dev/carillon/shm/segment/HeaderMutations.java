package dev.carillon.shm.segment;

import java.nio.ByteBuffer;
import java.util.SplittableRandom;

/** Sound headers with some of their bytes changed, mostly with a checksum that fits again. */
final class HeaderMutations {
    private static final int[] NUMBERS = {0, 1, 2, 8, 9, 63, 64, 65, 128, 512, 4_096, 65_535, 65_536, 1 << 30, -1};

    private HeaderMutations() {}

    static byte[] next(SplittableRandom random) {
        byte[] bytes =
                HeaderWriter.bytes(random.nextInt(4) == 0 ? Segments.header(Segments.SMALL) : Segments.header(random));
        for (int i = random.nextInt(4); i >= 0; i--) {
            mutate(bytes, random);
        }
        if (random.nextInt(8) != 0) {
            Segments.signed(bytes);
        }
        return bytes;
    }

    private static void mutate(byte[] bytes, SplittableRandom random) {
        ByteBuffer numbers = Segments.numbers(bytes);
        int at = random.nextInt(bytes.length / Integer.BYTES) * Integer.BYTES;
        switch (random.nextInt(6)) {
            case 0 -> bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
            case 1 -> numbers.putInt(at, NUMBERS[random.nextInt(NUMBERS.length)]);
            case 2 -> numbers.putInt(at, numbers.getInt(at) + random.nextInt(-64, 65));
            case 3 -> numbers.putInt(at, numbers.getInt(random.nextInt(bytes.length / Integer.BYTES) * Integer.BYTES));
            case 4 -> numbers.putInt(random.nextInt(8, 19) * Integer.BYTES, random.nextInt());
            default -> {
                // The magic and the marks are a small part of all bytes, and the faults in them should come up as well.
                int mark = random.nextInt(6) * Integer.BYTES;
                numbers.putInt(mark, random.nextBoolean() ? 0 : random.nextInt());
                if (mark < Long.BYTES && random.nextBoolean()) {
                    numbers.putLong(0, 0);
                }
            }
        }
    }
}

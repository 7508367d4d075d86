package dev.carillon.shm.segment;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** Sound headers with some of their bytes changed, mostly with a checksum that fits again. */
final class HeaderMutations {
    private static final int[] NUMBERS = {0, 1, 2, 8, 9, 63, 64, 65, 128, 512, 4_096, 65_535, 65_536, 1 << 30, -1};

    /** Limits of some field or other, each with its neighbours. */
    private static final long[] LIMITS = {
        0,
        4,
        8,
        64,
        255,
        65_535,
        65_536,
        3_600_000,
        1 << 20,
        1 << 30,
        Integer.MAX_VALUE,
        1L << 32,
        1L << 40,
        Long.MAX_VALUE
    };

    private HeaderMutations() {}

    /** A sound header, with each of its numbers in turn at all limits, one below and one above; the checksum fits. */
    static List<byte[]> atLimits() {
        SegmentShape largest = new SegmentShape(
                1,
                new DirectionShape(4, 32, 1, List.of()),
                new DirectionShape(4, 32, 1, List.of(new SlotClass(Segments.HALF_OF_THE_LARGEST, 2))));
        byte[] atTotal = HeaderWriter.bytes(Segments.header(largest));
        List<byte[]> headers = new ArrayList<>(List.of(atTotal.clone()));
        Segments.numbers(atTotal).putInt(320 + HeaderFields.CLASS_TABLE, Segments.HALF_OF_THE_LARGEST + 64);
        headers.add(Segments.signed(atTotal));
        byte[] sound = HeaderWriter.bytes(Segments.header(Segments.SMALL));
        for (long limit : LIMITS) {
            for (long value : new long[] {limit - 1, limit, limit + 1}) {
                for (int at = 24; at < sound.length; at += Integer.BYTES) {
                    byte[] changed = sound.clone();
                    Segments.numbers(changed).putInt(at, (int) value);
                    headers.add(Segments.signed(changed));
                    if (at % Long.BYTES == 0) {
                        byte[] other = sound.clone();
                        Segments.numbers(other).putLong(at, value);
                        headers.add(Segments.signed(other));
                    }
                }
            }
        }
        return headers;
    }

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

package dev.carillon.memory;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.sun.management.ThreadMXBean;
import dev.carillon.ClosedException;
import dev.carillon.test.Deadline;
import dev.carillon.test.Seeded;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.ReadOnlyBufferException;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Copies that are long enough for C are as those of the VM. */
abstract class LongCopyContract extends RegionCase {
    private static final int SIZE = 256 * 1024;
    private static final int LONG = 64 * 1024;
    private static final byte UNTOUCHED = 0x5a;

    private static byte[] random(SplittableRandom random, int length) {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return bytes;
    }

    private MemoryRegion memfd() {
        return regions.memfd("long-copy", SIZE, EnumSet.allOf(Seal.class));
    }

    // r[verify memory.long-copy]
    @Test
    void aCopyOfAnyLengthWritesItsBytesAndNoOthers(@Seeded SplittableRandom random) {
        byte[] source = random(random, SIZE);
        byte[] all = new byte[SIZE];
        try (MemoryRegion region = memfd()) {
            // A view that does not begin where the region does.
            OrderedBytes bytes = region.bytes().slice(PAGE, SIZE - PAGE);
            for (int round = 0; round < 300; round++) {
                int length = round % 2 == 0 ? random.nextInt(LONG) : LongCopy.LEAST - 2 + random.nextInt(4);
                int from = random.nextInt(SIZE - length);
                int to = random.nextInt(SIZE - PAGE - length);
                Arrays.fill(all, UNTOUCHED);
                region.buffer().put(0, all);
                switch (round % 4) {
                    case 0 -> bytes.putBytes(to, source, from, length);
                    case 1 -> bytes.putBytes(to, ByteBuffer.wrap(source, from, length));
                    case 2 ->
                        bytes.putBytes(to, ByteBuffer.wrap(source, from, length).slice(), 0, length);
                    default -> bytes.putBytes(to, ByteBuffer.wrap(source).asReadOnlyBuffer(), from, length);
                }
                System.arraycopy(source, from, all, PAGE + to, length);
                byte[] found = new byte[SIZE];
                region.bytes().getBytes(0, found, 0, SIZE);
                assertArrayEquals(all, found, "round " + round + " length=" + length + " from=" + from + " to=" + to);
            }
        }
    }

    /** The source is the memory itself, and its bytes are read before they are overwritten. */
    @Test
    void aCopyFromTheSameMemoryMayOverlap(@Seeded SplittableRandom random) {
        byte[] before = random(random, SIZE);
        try (MemoryRegion region = memfd()) {
            for (int to : new int[] {0, 2 * PAGE}) {
                region.buffer().put(0, before);
                region.bytes().putBytes(to, region.buffer(), PAGE, LONG);
                byte[] found = new byte[LONG];
                region.bytes().getBytes(to, found, 0, LONG);
                assertArrayEquals(Arrays.copyOfRange(before, PAGE, PAGE + LONG), found, "to=" + to);
            }
        }
    }

    @Test
    void twoThreadsCopyIntoOneRegionAtOnce(@Seeded SplittableRandom random) throws Exception {
        try (MemoryRegion region = memfd()) {
            SplittableRandom others = random.split();
            CompletableFuture<Void> other = CompletableFuture.runAsync(() -> copyAgainAndAgain(region, 0, others));
            copyAgainAndAgain(region, SIZE / 2, random);
            other.get(30, TimeUnit.SECONDS);
        }
    }

    private static void copyAgainAndAgain(MemoryRegion region, int at, SplittableRandom random) {
        byte[] found = new byte[LONG];
        for (int round = 0; round < 500; round++) {
            byte[] source = random(random, LONG);
            region.bytes().putBytes(at, source, 0, LONG);
            region.bytes().getBytes(at, found, 0, LONG);
            assertArrayEquals(source, found);
        }
    }

    @Test
    void aLongCopyIsRefusedAsAShortOneIs() {
        byte[] source = new byte[LONG];
        MemoryRegion region = memfd();
        OrderedBytes bytes = region.bytes();
        ByteBuffer limited = ByteBuffer.wrap(source).limit(LONG - 1);
        for (int at : new int[] {-1, SIZE - LONG + 1, Integer.MAX_VALUE}) {
            assertThrows(IndexOutOfBoundsException.class, () -> bytes.putBytes(at, source, 0, LONG));
            assertThrows(IndexOutOfBoundsException.class, () -> bytes.putBytes(at, ByteBuffer.wrap(source)));
        }
        assertThrows(IndexOutOfBoundsException.class, () -> bytes.putBytes(0, source, 1, LONG));
        assertThrows(IndexOutOfBoundsException.class, () -> bytes.putBytes(0, limited, 0, LONG));
        assertThrows(IndexOutOfBoundsException.class, () -> bytes.putBytes(0, limited, -1, LONG));
        region.close();
        assertThrows(ClosedException.class, () -> bytes.putBytes(0, source, 0, LONG));
        assertThrows(ClosedException.class, () -> bytes.putBytes(0, ByteBuffer.wrap(source)));
    }

    @Test
    void aLongCopyIntoMemoryThatIsOnlyReadIsRefused() {
        byte[] source = new byte[LONG];
        try (MemoryRegion writable = memfd();
                MemoryRegion region = regions.ofDescriptor(writable.fd(), Access.READ_ONLY)) {
            assertThrows(ReadOnlyBufferException.class, () -> region.bytes().putBytes(0, source, 0, LONG));
        }
    }

    /** The compiler comes when it has time; until then each call of C leaves some bytes. */
    @Test
    void aLongCopyAllocatesNothing() {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        byte[] source = new byte[LongCopy.LEAST];
        long least = Long.MAX_VALUE;
        Deadline limit = Deadline.after(Duration.ofSeconds(30));
        try (MemoryRegion region = memfd()) {
            OrderedBytes bytes = region.bytes();
            for (int round = 0; least != 0 && (round < 2_000 || !limit.isOver()); round++) {
                long before = threads.getCurrentThreadAllocatedBytes();
                for (int call = 0; call < 1_000; call++) {
                    bytes.putBytes(0, source, 0, source.length);
                }
                least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
            }
        }
        assertEquals(0, least);
    }
}

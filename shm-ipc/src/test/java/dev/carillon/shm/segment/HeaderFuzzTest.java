package dev.carillon.shm.segment;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.memory.MemoryRegion;
import dev.carillon.memory.OrderedBytes;
import dev.carillon.test.Deadline;
import dev.carillon.test.Seeded;
import java.time.Duration;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** Headers that no honest host has written, and such as change while they are read. */
class HeaderFuzzTest {
    private static final int CASES = 20_000;

    // r[verify shm.header]
    @Test
    void aMutatedHeaderIsRefusedWithAReasonOrSaysExactlyWhatItsBytesSay(@Seeded SplittableRandom random) {
        Map<SegmentFault, Integer> seen = new EnumMap<>(SegmentFault.class);
        int believed = 0;
        List<byte[]> headers = HeaderMutations.atLimits();
        for (int i = 0; i < CASES; i++) {
            headers.add(HeaderMutations.next(random));
        }
        for (byte[] bytes : headers) {
            SegmentHeader header;
            try {
                header = Segments.read(bytes.clone());
            } catch (FaultySegmentException e) {
                seen.merge(e.fault(), 1, Integer::sum);
                continue;
            }
            believed++;
            assertArrayEquals(bytes, HeaderWriter.bytes(header));
        }
        EnumSet<SegmentFault> missing =
                EnumSet.complementOf(EnumSet.of(SegmentFault.LINK_WORD, SegmentFault.TOO_SHORT));
        missing.removeAll(seen.keySet());
        assertTrue(missing.isEmpty(), () -> "never seen: " + missing + ", seen: " + seen);
        assertTrue(believed > 0, seen::toString);
    }

    // r[verify shm.header]
    @Test
    void aHeaderThatChangesWhileItIsReadIsRefusedOrReadAsOneOfItsStates() throws Exception {
        SegmentHeader one = Segments.header(Segments.SMALL);
        SegmentHeader other = Segments.header(SegmentShape.defaults());
        byte[][] states = {HeaderWriter.bytes(one), HeaderWriter.bytes(other)};
        try (MemoryRegion region = MemoryRegion.anonymous(other.layout().total())) {
            OrderedBytes memory = region.bytes();
            one.writeTo(memory);
            AtomicBoolean over = new AtomicBoolean();
            Thread hostile = new Thread(() -> {
                for (int i = 0; !over.get(); i++) {
                    memory.putBytes(8, states[i & 1], 8, 504);
                }
            });
            hostile.start();
            try {
                for (int i = 0; i < CASES / 10; i++) {
                    try {
                        SegmentHeader found = SegmentHeader.readFrom(memory);
                        assertTrue(found.equals(one) || found.equals(other), found::toString);
                    } catch (FaultySegmentException e) {
                        assertEquals(SegmentFault.CHECKSUM, e.fault());
                    }
                }
            } finally {
                over.set(true);
                Deadline.after(Duration.ofSeconds(20)).await("the other thread ends", () -> !hostile.isAlive());
            }
        }
    }
}

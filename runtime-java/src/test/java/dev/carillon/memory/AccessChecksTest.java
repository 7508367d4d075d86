package dev.carillon.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import dev.carillon.ClosedException;
import dev.carillon.test.Deadline;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.ReadOnlyBufferException;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What every access checks, and what it does not cost. */
final class AccessChecksTest {
    private static final int SIZE = 64;
    private static final int CALLS = 20_000;
    private static final int ROUNDS = 20;

    private final ByteBuffer memory = ByteBuffer.allocateDirect(SIZE);
    private final RegionViews views = RegionViews.ofSafePages("test memory");
    private final OrderedBytes bytes = views.add(new OrderedBytes(memory.duplicate(), views, 0));

    static List<AccessTable> all() {
        return AccessTable.ALL;
    }

    static Stream<AccessTable> writing() {
        return AccessTable.ALL.stream().filter(AccessTable::writes);
    }

    static Stream<AccessTable> wide() {
        return AccessTable.ALL.stream().filter(access -> access.size() > 1);
    }

    // r[verify memory.bounds]
    @ParameterizedTest
    @MethodSource("all")
    void anOffsetOutsideIsNamedWithSizeAndCapacity(AccessTable access) {
        access.at(bytes, SIZE - access.size());
        for (int offset : List.of(-access.size(), SIZE, Integer.MIN_VALUE, 0x7fff_fff8)) {
            IndexOutOfBoundsException refused =
                    assertThrows(IndexOutOfBoundsException.class, () -> access.at(bytes, offset));
            assertEquals(
                    "outside the region: offset=" + offset + " size=" + access.size() + " capacity=" + SIZE,
                    refused.getMessage());
        }
        assertThrows(IndexOutOfBoundsException.class, () -> access.at(bytes, Integer.MAX_VALUE));
        assertThrows(IndexOutOfBoundsException.class, () -> access.at(bytes, -1));
    }

    // r[verify memory.alignment]
    @ParameterizedTest
    @MethodSource("wide")
    void aMisalignedOffsetIsNamed(AccessTable access) {
        for (int offset : List.of(1, access.size() / 2, access.size() + 1, SIZE - access.size() - 1)) {
            IllegalArgumentException refused =
                    assertThrows(IllegalArgumentException.class, () -> access.at(bytes, offset));
            assertEquals(
                    "not aligned to its size: offset=" + offset + " size=" + access.size() + " capacity=" + SIZE,
                    refused.getMessage());
        }
    }

    // r[verify memory.read-only]
    @ParameterizedTest
    @MethodSource("writing")
    void aWriteIntoReadOnlyBytesIsRefused(AccessTable access) {
        OrderedBytes readOnly = new OrderedBytes(memory.asReadOnlyBuffer(), views, 0);
        assertThrows(ReadOnlyBufferException.class, () -> access.at(readOnly, 0));
    }

    // r[verify memory.close.refused-after]
    @ParameterizedTest
    @MethodSource("all")
    void anAccessAfterTheCloseSaysSo(AccessTable access) {
        OrderedBytes slice = bytes.slice(8, 16);
        views.close();
        ClosedException refused = assertThrows(ClosedException.class, () -> access.at(bytes, 0));
        assertTrue(refused.toString().contains("test memory is closed"), refused.toString());
        assertThrows(ClosedException.class, () -> access.at(slice, 8));
        assertThrows(ClosedException.class, () -> access.at(slice, 1));
        assertThrows(ClosedException.class, () -> bytes.slice(0, 8));
    }

    // r[verify memory.no-allocation]
    @ParameterizedTest
    @MethodSource("all")
    void anAccessAllocatesNothing(AccessTable access) {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long least = Long.MAX_VALUE;
        // The compiler comes when it has time.
        Deadline limit = Deadline.after(Duration.ofSeconds(20));
        for (int round = 0; least != 0 && (round < ROUNDS || !limit.isOver()); round++) {
            long before = threads.getCurrentThreadAllocatedBytes();
            for (int call = 0; call < CALLS; call++) {
                access.at(bytes, 8);
            }
            least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
        }
        assertEquals(0, least, "bytes allocated by " + CALLS + " calls of " + access);
    }
}

package dev.carillon.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.ClosedException;
import dev.carillon.HeldDescriptor;
import dev.carillon.test.Deadline;
import dev.carillon.test.proc.Descriptors;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** What a close takes, what it leaves, and when the rest goes. */
@SuppressWarnings("try") // the explicit close is what is tested
abstract class RegionCloseContract extends RegionCase {
    private static final Duration SOON = Duration.ofSeconds(20);

    // r[verify memory.close.once]
    @Test
    void aSecondCloseDoesNothing() {
        Deadline.after(SOON).await("the number is free again", this::closesTwiceWhereTheNextHasItsNumber);
    }

    /** The VM may open a file of its own between, or close one with a lower number: then it has another one. */
    private boolean closesTwiceWhereTheNextHasItsNumber() {
        MemoryRegion region = memfd();
        int fd = region.fd();
        region.close();
        try (MemoryRegion next = memfd()) {
            int its = next.fd();
            region.close();
            assertTrue(isOpenMemfd(its), "the second close hit a stranger's descriptor");
            next.bytes().putInt(0, 1);
            assertFalse(region.isOpen());
            return its == fd;
        }
    }

    // r[verify memory.hold]
    @Test
    void aDescriptorThatIsHeldIsClosedWithTheLastHold() {
        MemoryRegion region = memfd();
        HeldDescriptor first = region.hold();
        HeldDescriptor second = region.hold();
        int fd = first.number();
        assertEquals(fd, region.fd());
        region.close();
        assertThrows(ClosedException.class, region::hold);
        first.close();
        first.close();
        assertTrue(Descriptors.open().containsKey(second.number()), "closed under one who holds it");
        try (MemoryRegion other = memfd()) {
            assertNotEquals(fd, other.fd());
        }
        second.close();
        assertFalse(isOpenMemfd(fd), "the last hold has left it open");
    }

    @Test
    void twoThreadsMayCloseAtTheSameTime() throws Exception {
        for (int round = 0; round < 200; round++) {
            MemoryRegion region = memfd();
            long retained = MemoryRegion.stats().open();
            CyclicBarrier start = new CyclicBarrier(2);
            AtomicReference<Throwable> failure = new AtomicReference<>();
            Thread other = new Thread(() -> closeAfter(start, region, failure));
            other.start();
            closeAfter(start, region, failure);
            other.join(SOON.toMillis());
            assertEquals(null, failure.get());
            assertEquals(retained - 1, MemoryRegion.stats().open());
        }
    }

    // r[verify memory.close.refused-after]
    @Test
    void everythingButCloseSaysThatTheRegionIsClosed() {
        MemoryRegion region = memfd();
        OrderedBytes bytes = region.bytes();
        OrderedBytes slice = bytes.slice(8, 8);
        region.close();
        assertThrows(ClosedException.class, region::bytes);
        assertThrows(ClosedException.class, region::buffer);
        assertThrows(ClosedException.class, region::fd);
        assertThrows(ClosedException.class, region::seals);
        assertThrows(ClosedException.class, region::isTruncated);
        assertThrows(ClosedException.class, () -> bytes.getByte(0));
        assertThrows(ClosedException.class, () -> slice.getByte(0));
        assertThrows(ClosedException.class, () -> bytes.slice(0, 8));
        assertEquals(PAGE, region.size());
        assertTrue(region.toString().endsWith(", closed]"), region.toString());
    }

    // r[verify memory.close.zero-pages]
    @Test
    void aBufferOfAClosedRegionReadsZerosAndWritesToNowhere() {
        try (MemoryRegion region = memfd();
                MemoryRegion witness = regions.ofDescriptor(region.fd(), Access.READ_WRITE)) {
            ByteBuffer buffer = region.buffer();
            buffer.putLong(0, 42);
            region.close();
            assertEquals(0, buffer.getLong(0));
            buffer.putLong(0, 43);
            assertEquals(42, witness.bytes().getLong(0));
        }
    }

    @Test
    void aReadOnlyBufferOfAClosedRegionReadsZeros() {
        try (MemoryRegion region = memfd();
                MemoryRegion readOnly = regions.ofDescriptor(region.fd(), Access.READ_ONLY)) {
            region.bytes().putInt(0, 42);
            ByteBuffer buffer = readOnly.buffer();
            assertEquals(42, buffer.getInt(0));
            readOnly.close();
            assertEquals(0, buffer.getInt(0));
        }
    }

    // r[verify memory.unmap.unreachable]
    @Test
    void eachKindOfViewKeepsTheAddressesAndOnlyTheLastGivesThemBack() {
        List<Function<MemoryRegion, Object>> kinds = List.of(
                MemoryRegion::buffer,
                MemoryRegion::bytes,
                region -> region.bytes().slice(8, 16).slice(8, 8),
                region -> region.buffer().slice(8, 16).slice(),
                region -> region.buffer().duplicate().asReadOnlyBuffer(),
                region -> region.buffer().order(ByteOrder.nativeOrder()).asLongBuffer(),
                region -> region.buffer()
                        .order(ByteOrder.BIG_ENDIAN)
                        .slice()
                        .asIntBuffer()
                        .slice());
        for (Function<MemoryRegion, Object> kind : kinds) {
            assertTrue(goneAfterGc(() -> MemoryRegion.stats().retained() == 0, SOON), "left by another test");
            List<Object> views = new ArrayList<>();
            viewOfClosedRegion(kind, views);
            assertFalse(goneAfterGc(() -> MemoryRegion.stats().retained() == 0, Duration.ofMillis(50)));
            views.clear();
            assertTrue(goneAfterGc(() -> MemoryRegion.stats().retained() == 0, SOON), "still mapped");
        }
    }

    private void viewOfClosedRegion(Function<MemoryRegion, Object> kind, List<Object> views) {
        try (MemoryRegion region = memfd()) {
            views.add(kind.apply(region));
        }
    }

    // r[verify memory.leak]
    @Test
    void aRegionThatNobodyClosesIsUnmappedWithItsDescriptorAndCounted() {
        RegionStats before = MemoryRegion.stats();
        int fd = forgottenDescriptor();
        assertTrue(goneAfterGc(() -> MemoryRegion.stats().leaked() > before.leaked(), SOON), "not collected");
        Deadline.after(SOON).await("its descriptor is closed", () -> !isOpenMemfd(fd));
        assertEquals("memfd=forgotten", MemoryRegion.stats().lastLeak());
        assertEquals(before.open(), MemoryRegion.stats().open());
    }

    private int forgottenDescriptor() {
        return regions.memfd("forgotten", PAGE, EnumSet.allOf(Seal.class)).fd();
    }

    private static boolean isOpenMemfd(int fd) {
        return Descriptors.open().getOrDefault(fd, "").startsWith("/memfd:");
    }

    private MemoryRegion memfd() {
        return regions.memfd("close-test", PAGE, EnumSet.allOf(Seal.class));
    }

    private static boolean goneAfterGc(BooleanSupplier gone, Duration limit) {
        return Deadline.after(limit).poll(() -> {
            System.gc();
            return gone.getAsBoolean();
        });
    }

    private static void closeAfter(CyclicBarrier start, MemoryRegion region, AtomicReference<Throwable> failure) {
        try {
            start.await();
            region.close();
        } catch (Exception e) {
            failure.set(e);
        }
    }
}

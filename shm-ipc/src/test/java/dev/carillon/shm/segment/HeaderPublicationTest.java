package dev.carillon.shm.segment;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.carillon.memory.MemoryRegion;
import dev.carillon.memory.OrderedBytes;
import dev.carillon.test.Deadline;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class HeaderPublicationTest {
    private static final int ROUNDS = 20_000;

    /** As many rounds as there is time for, where the two threads have to share a core. */
    private static final Duration EFFORT = Duration.ofMillis(500);

    /** All classes of slots are used, so that something stands far behind the magic. */
    private static final DirectionShape FULL = new DirectionShape(
            4,
            32,
            1,
            IntStream.rangeClosed(1, 8).mapToObj(i -> new SlotClass(64 * i, 1)).toList());

    private static final int LAST_COUNT = 320 + 64 + 7 * 8 + 4;

    // r[verify shm.header]
    @Test
    void aWriterThatFailsBeforeTheEndHasStoredNoMagic() {
        byte[] bytes = HeaderWriter.bytes(Segments.header(Segments.SMALL));
        try (MemoryRegion region = MemoryRegion.anonymous(bytes.length)) {
            OrderedBytes tooSmall = region.bytes().slice(0, bytes.length - 1);
            assertThrows(IndexOutOfBoundsException.class, () -> SegmentHeader.store(bytes, tooSmall));
            assertEquals(0, tooSmall.getLong(0));
        }
    }

    /**
     * One thread waits for the magic as closely as it can, and another one writes the header. With the magic stored first,
     * the reader finds zeros in some of the rounds, where each thread has a core.
     */
    // r[verify shm.header]
    @Test
    void whoSeesTheMagicSeesTheWholeHeader() {
        SegmentHeader header = Segments.header(new SegmentShape(1, FULL, FULL));
        try (MemoryRegion region = MemoryRegion.anonymous(header.layout().total())) {
            OrderedBytes memory = region.bytes();
            AtomicInteger wanted = new AtomicInteger();
            Thread host = new Thread(() -> {
                for (int done = 0; ; done++) {
                    int next = wanted.get();
                    while (next == done) {
                        Thread.onSpinWait();
                        next = wanted.get();
                    }
                    if (next < 0) {
                        return;
                    }
                    header.writeTo(memory);
                }
            });
            host.start();
            Deadline effort = Deadline.after(EFFORT);
            try {
                for (int i = 1; i <= ROUNDS && !effort.isOver(); i++) {
                    memory.putBytes(0, new byte[SegmentLayout.HEADER_BYTES], 0, SegmentLayout.HEADER_BYTES);
                    wanted.set(i);
                    while (memory.getLongAcquire(0) == 0 && host.isAlive()) {
                        Thread.onSpinWait();
                    }
                    assertEquals(1, memory.getInt(LAST_COUNT), "the header is not there yet");
                    assertEquals(header, SegmentHeader.readFrom(memory));
                }
            } finally {
                wanted.set(-1);
                Deadline.after(Duration.ofSeconds(60)).await("the host ends", () -> !host.isAlive());
            }
        }
    }
}

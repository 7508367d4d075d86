package dev.carillon.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.carillon.test.Deadline;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** What one thread wrote before a release is seen by the one that acquired the released value. */
final class PublicationTest {
    private static final int ROUNDS = 200_000;
    private static final Duration LIMIT = Duration.ofSeconds(100);

    // r[verify memory.order]
    @Test
    void whatWasWrittenBeforeAReleaseIsSeenAfterAnAcquire() throws Exception {
        try (MemoryRegion region = MemoryRegion.anonymous(4_096)) {
            Mailbox mailbox = new Mailbox(region.bytes());
            Thread writer = new Thread(() -> mailbox.write(ROUNDS), "publication-writer");
            writer.start();
            assertEquals(0, Deadline.call(LIMIT, () -> mailbox.read(ROUNDS)), "letters that were not whole");
            writer.join(LIMIT.toMillis());
        }
    }

    @Test
    void noAdditionOfTwoThreadsIsLost() throws Exception {
        try (MemoryRegion region = MemoryRegion.anonymous(4_096)) {
            OrderedBytes bytes = region.bytes();
            Runnable adding = () -> {
                for (int round = 0; round < ROUNDS; round++) {
                    bytes.getAndAddInt(64, 1);
                    long seen;
                    do {
                        seen = bytes.getLongOpaque(128);
                    } while (!bytes.compareAndSetLong(128, seen, seen + 1));
                }
            };
            Thread other = new Thread(adding, "publication-adder");
            other.start();
            adding.run();
            other.join(LIMIT.toMillis());
            assertEquals(2 * ROUNDS, bytes.getInt(64));
            assertEquals(2 * ROUNDS, bytes.getLong(128));
        }
    }
}

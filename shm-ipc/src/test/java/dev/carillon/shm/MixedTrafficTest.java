package dev.carillon.shm;

import static dev.carillon.shm.LinkPair.LONG;
import static dev.carillon.shm.LinkPair.NO_TIME;
import static dev.carillon.shm.LinkTest.SMALL;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.test.Futures;
import dev.carillon.test.Seeded;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Frames that are sent in every way there is, in turn. */
final class MixedTrafficTest {
    private static final int FRAMES = 120_000;
    private static final int LONGEST = 1024 - 8 - 3;

    private final ByteBuffer payload = ByteBuffer.allocate(LONGEST + Long.BYTES).order(ByteOrder.nativeOrder());
    private long received;
    private long sum;

    // r[verify shm.ring] r[verify shm.slot] r[verify shm.wakeup.slot-wait]
    @Test
    void claimsThatAreAbortedAtRandomAmongFramesAndBatchesLoseNothing(@Seeded SplittableRandom seeded)
            throws Exception {
        try (LinkPair pair = new LinkPair(SMALL)) {
            SplittableRandom mine = seeded.split();
            CompletableFuture<Long> sent =
                    CompletableFuture.supplyAsync(() -> send(pair.host, mine), task -> new Thread(task).start());
            while (received < FRAMES) {
                assertTrue(pair.guest.awaitData(LONG));
                pair.guest.poll(this::take, 1 + seeded.nextInt(4));
            }
            assertEquals(Futures.get(sent), sum);
            assertNull(pair.guest.receive(NO_TIME));
            assertNothingIsLost(pair.host);
        }
    }

    private void take(Frame frame) {
        assertEquals(received, frame.id());
        int last = frame.length() - Long.BYTES;
        assertEquals(frame.id() * 31, frame.getLong(last));
        sum = 31 * sum + frame.getLong(last);
        received++;
    }

    private long send(ShmLink link, SplittableRandom random) {
        long all = 0;
        try {
            int id = 0;
            while (id < FRAMES) {
                int before = id;
                id += switch (random.nextInt(4)) {
                    case 0 -> sendFrame(link, id, length(random));
                    case 1 -> sendBatch(link, id, random);
                    default -> sendClaim(link, id, random);
                };
                for (; before < id; before++) {
                    all = 31 * all + before * 31L;
                }
            }
            return all;
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private static int length(SplittableRandom random) {
        return random.nextInt(random.nextBoolean() ? 88 : LONGEST);
    }

    private int sendFrame(ShmLink link, int id, int length) throws InterruptedException {
        payload.putLong(length, id * 31L);
        assertEquals(SendResult.SENT, link.send(Frame.of(1, id, payload.slice(0, length + Long.BYTES)), LONG));
        return 1;
    }

    private static int sendBatch(ShmLink link, int id, SplittableRandom random) {
        return link.sendBatch(Math.min(1 + random.nextInt(4), FRAMES - id), (index, frame) -> {
            int length = length(random);
            boolean begun = frame.begin(1, 0, id + index, length + Long.BYTES);
            if (begun) {
                frame.putLong(length, (id + index) * 31L);
            }
            return begun && random.nextInt(8) > 0;
        });
    }

    private static int sendClaim(ShmLink link, int id, SplittableRandom random) throws InterruptedException {
        int length = length(random);
        try (SlotWriter claim = Objects.requireNonNull(link.awaitClaim(length + Long.BYTES + 3, LONG))) {
            claim.bytes().putLong(length, id * 31L);
            return switch (random.nextInt(4)) {
                case 0 -> 0;
                case 1 -> {
                    claim.abort();
                    yield 0;
                }
                default -> {
                    assertEquals(SendResult.SENT, claim.commit(1, 0, id, length + Long.BYTES));
                    yield 1;
                }
            };
        }
    }

    /** All three slots are there, and all three entries for data. */
    private static void assertNothingIsLost(ShmLink link) {
        for (int length : new int[] {200, 200, 1000}) {
            assertEquals(SendResult.SENT, link.trySend(Frame.of(1, 0, ByteBuffer.allocate(length))));
        }
    }
}

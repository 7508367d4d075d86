package dev.carillon.shm;

import static dev.carillon.shm.LinkPair.NO_TIME;
import static dev.carillon.shm.LinkPair.bytes;
import static dev.carillon.shm.LinkPair.text;
import static dev.carillon.shm.LinkTest.receive;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import dev.carillon.ClosedException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Batches of frames. */
final class BatchTest {
    /** Fifteen entries for data. */
    private static final LinkConfig SIXTEEN =
            LinkConfig.builder().ring(16).slots(256, 2).slots(1024, 1).build();

    private final LinkPair pair = new LinkPair(SIXTEEN);

    @AfterEach
    void closePair() {
        pair.close();
    }

    /** Some short ones and some that need slots. */
    private static boolean write(int index, FrameWriter frame) {
        int length = index % 5 == 0 ? 200 : index * 6;
        return frame.begin(index, 2 * index, -index, length) && put(frame, bytes(length, index));
    }

    private static boolean put(FrameWriter frame, ByteBuffer bytes) {
        frame.put(0, bytes, 0, bytes.limit());
        return true;
    }

    private static boolean empty(FrameWriter frame) {
        return frame.begin(1, 0, 0, 0);
    }

    private void assertNextIs(int index) throws InterruptedException {
        Frame received = receive(pair.guest);
        assertEquals(index, received.type());
        assertEquals(2 * index, received.flags());
        assertEquals(-index, received.id());
        assertEquals(bytes(received.length(), index), received.payload());
    }

    @Test
    void theFramesOfABatchArriveInOrderAsTheyWereWritten() throws Exception {
        for (int round = 0; round < 10; round++) {
            assertEquals(9, pair.host.sendBatch(9, BatchTest::write));
            for (int i = 0; i < 9; i++) {
                assertNextIs(i);
            }
        }
        assertNull(pair.guest.receive(NO_TIME));
        assertEquals(90, pair.host.stats().framesSent());
        assertEquals(pair.guest.stats().bytesReceived(), pair.host.stats().bytesSent());
    }

    // r[verify shm.batch]
    @Test
    void nothingOfABatchIsSeenBeforeAllOfIt() {
        assertEquals(5, pair.host.sendBatch(5, (index, frame) -> {
            assertEquals(0, pair.guest.poll(seen -> fail("it is seen"), 100));
            return empty(frame);
        }));
        assertEquals(5, pair.guest.poll(seen -> {}, 100));
    }

    // r[verify shm.backpressure] r[verify shm.ring.capacity]
    @Test
    void aBatchHasAsManyFramesAsThereIsRoomFor() {
        assertEquals(15, pair.host.sendBatch(Integer.MAX_VALUE, (index, frame) -> empty(frame)));
        assertEquals(0, pair.host.sendBatch(1, (index, frame) -> fail("there is no room")));
        assertEquals(4, pair.guest.poll(frame -> {}, 4));
        assertEquals(4, pair.host.sendBatch(100, (index, frame) -> empty(frame)));
        assertEquals(0, pair.host.sendBatch(0, (index, frame) -> fail("none are wanted")));
        assertThrows(IllegalArgumentException.class, () -> pair.host.sendBatch(-1, (index, frame) -> empty(frame)));
    }

    @Test
    void aWriterEndsItsBatchBeforeAFrame() throws Exception {
        BatchWriter two = (index, frame) -> {
            frame.begin(index, 0, index, 1000);
            return index < 1;
        };
        assertEquals(1, pair.host.sendBatch(10, two));
        assertEquals(1000, receive(pair.guest).length());
        assertNull(pair.guest.receive(NO_TIME));
        BatchWriter none = (index, frame) -> !frame.begin(index, 0, index, 1000);
        assertEquals(0, pair.host.sendBatch(10, none), "its slot comes back");
        assertEquals(0, pair.host.sendBatch(10, none));
    }

    @Test
    void aBatchEndsWhereNoSlotIsFree() {
        assertEquals(1, pair.host.sendBatch(10, (index, frame) -> frame.begin(1, 0, index, 1000)));
        assertEquals(0, pair.host.sendBatch(10, (index, frame) -> {
            assertFalse(frame.begin(1, 0, index, 1000));
            assertThrows(IllegalStateException.class, () -> frame.putInt(0, 1));
            return false;
        }));
    }

    // r[verify shm.batch]
    @Test
    void whatIsWholeIsSentWhereTheWriterThrows() throws Exception {
        BatchWriter throwing = (index, frame) -> {
            frame.begin(index, 0, index, 1000 * (index % 2));
            if (index == 1) {
                throw new UnsupportedOperationException("no more");
            }
            return true;
        };
        assertThrows(UnsupportedOperationException.class, () -> pair.host.sendBatch(10, throwing));
        assertEquals(0, receive(pair.guest).id());
        assertNull(pair.guest.receive(NO_TIME));
        assertEquals(SendResult.SENT, pair.host.trySend(Frame.of(1, 0, bytes(1000, 0))), "its slot came back");
    }

    @Test
    void nothingElseIsSentWhileABatchIsWritten() {
        SlotWriter open = Objects.requireNonNull(pair.host.tryClaim(10));
        assertEquals(1, pair.host.sendBatch(1, (index, frame) -> {
            assertRefused(() -> pair.host.trySend(text("x")));
            assertRefused(() -> open.commit(1, 0, 0));
            assertRefused(open::abort);
            assertRefused(() -> pair.host.sendBatch(1, (i, other) -> empty(other)));
            return empty(frame);
        }));
        assertEquals(SendResult.SENT, open.commit(1, 0, 0));
        assertEquals(2, pair.guest.poll(frame -> {}, 100));
        assertEquals(1, pair.host.sendBatch(1, (index, frame) -> {
            assertRefused(() -> pair.host.tryClaim(10));
            return empty(frame);
        }));
    }

    private static void assertRefused(Runnable send) {
        IllegalStateException refused = assertThrows(IllegalStateException.class, send::run);
        assertTrue(refused.toString().contains("batch"), refused::toString);
    }

    @Test
    void aBatchLeavesTheEntryOfAnOpenClaim() {
        SlotWriter open = Objects.requireNonNull(pair.host.tryClaim(10));
        assertEquals(14, pair.host.sendBatch(100, (index, frame) -> empty(frame)));
        assertEquals(SendResult.RING_FULL, pair.host.trySend(text("x")));
        assertEquals(SendResult.SENT, open.commit(1, 0, 0));
        assertEquals(15, pair.guest.poll(frame -> {}, 100));
    }

    @Test
    void aFrameIsWrittenInsideItsBoundsOnly() throws Exception {
        byte[] source = {1, 2, 3, 4};
        BatchWriter careless = (index, frame) -> {
            assertThrows(IllegalStateException.class, () -> frame.putLong(0, 1));
            assertThrows(IllegalArgumentException.class, () -> frame.begin(1, 0, 0, 1025));
            assertThrows(IllegalArgumentException.class, () -> frame.begin(1, 0, 0, -1));
            assertThrows(IllegalArgumentException.class, () -> frame.begin(0xFF00, 0, 0, 1));
            assertTrue(frame.begin(1, 0, 0, 20));
            assertThrows(IllegalStateException.class, () -> frame.begin(1, 0, 0, 20));
            for (int at : new int[] {-1, 13, Integer.MAX_VALUE, Integer.MIN_VALUE}) {
                assertThrows(IndexOutOfBoundsException.class, () -> frame.putLong(at, 1));
            }
            assertThrows(IndexOutOfBoundsException.class, () -> frame.putInt(17, 1));
            assertThrows(IndexOutOfBoundsException.class, () -> frame.putByte(20, (byte) 1));
            assertThrows(IndexOutOfBoundsException.class, () -> frame.put(17, source, 0, 4));
            assertThrows(IndexOutOfBoundsException.class, () -> frame.put(0, source, 1, 4));
            assertThrows(IndexOutOfBoundsException.class, () -> frame.put(0, source, 0, -1));
            frame.putLong(0, -5).putInt(8, 7).putByte(12, (byte) 9).put(13, source, 1, 3);
            frame.put(16, ByteBuffer.wrap(source), 0, 4);
            return true;
        };
        assertEquals(1, pair.host.sendBatch(1, careless));
        ByteBuffer received = receive(pair.guest).payload();
        assertEquals(-5, received.getLong());
        assertEquals(7, received.getInt());
        assertEquals(ByteBuffer.wrap(new byte[] {9, 2, 3, 4, 1, 2, 3, 4}), received);
        assertThrows(IllegalStateException.class, () -> pair.host.sendBatch(1, (index, frame) -> true));
    }

    @Test
    void aWriterOfFramesThatIsKeptWritesNowhere() {
        List<FrameWriter> kept = new ArrayList<>();
        assertEquals(1, pair.host.sendBatch(1, (index, frame) -> kept.add(frame) && frame.begin(1, 0, 0, 8)));
        assertThrows(IllegalStateException.class, () -> kept.get(0).putLong(0, 1));
        assertThrows(IllegalStateException.class, () -> kept.get(0).begin(1, 0, 0, 8));
    }

    @Test
    void aBatchToAPeerThatIsGoneHasNoFrames() {
        pair.guest.close();
        assertEquals(0, pair.host.sendBatch(1, (index, frame) -> empty(frame)));
        assertEquals(PeerState.GONE, pair.host.peerState());
    }

    @Test
    void aWriterMayCloseTheLink() {
        assertThrows(
                ClosedException.class,
                () -> pair.host.sendBatch(3, (index, frame) -> {
                    boolean begun = frame.begin(1, 0, 0, 1000);
                    pair.host.close();
                    frame.putLong(0, 1);
                    return begun;
                }));
        assertThrows(ClosedException.class, () -> pair.host.sendBatch(3, (index, frame) -> empty(frame)));
    }
}

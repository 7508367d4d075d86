package dev.carillon.shm;

import static dev.carillon.shm.LinkPair.LIMIT;
import static dev.carillon.shm.LinkPair.LONG;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.test.Deadline;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** What one thread says of channels, and the plain frames that another one sends, go through the same ring. */
final class ControlBesideFramesTest {
    private static final int FRAMES = 400_000;
    private static final int CHANNELS = 100;

    /** The type of the last frame. */
    private static final int LAST = 2;

    private static final LinkConfig CONFIG =
            LinkConfig.builder().ring(1024).slots(256, 8).channels(128).build();

    private final AtomicBoolean over = new AtomicBoolean();
    private final AtomicInteger soFar = new AtomicInteger();

    // r[verify shm.senders]
    @Test
    void aChannelIsOpenedAndResetBesideAnyPlainFrameAndNoneIsLost() throws Exception {
        try (LinkPair pair = new LinkPair(CONFIG)) {
            Waiting<Integer> sent = Waiting.on(() -> sendAll(pair.host));
            Waiting<Integer> opened = Waiting.on(() -> openAndReset(pair.host));
            int[] next = {0};
            boolean[] isLast = {false};
            while (!isLast[0]) {
                if (!pair.guest.awaitData(LONG)) {
                    // The side that sends has failed, and knows why.
                    sent.result();
                    opened.result();
                }
                pair.guest.poll(
                        frame -> {
                            assertEquals(next[0], frame.id());
                            assertEquals(next[0], frame.getLong(0));
                            isLast[0] = frame.type() == LAST;
                            next[0]++;
                        },
                        512);
                answer(pair.guest);
            }
            over.set(true);
            assertEquals(next[0], sent.result());
            assertTrue(next[0] > FRAMES, () -> "frames=" + next[0]);
            int channels = opened.result();
            assertTrue(channels > CHANNELS, () -> "channels=" + channels);
        }
    }

    /** In every way there is. They go on until enough channels were opened: the thread that does so may stand still. */
    private int sendAll(ShmLink link) throws InterruptedException {
        Deadline patience = Deadline.after(LIMIT);
        ByteBuffer payload = ByteBuffer.allocate(Long.BYTES).order(ByteOrder.nativeOrder());
        int id = 0;
        while (id < FRAMES || (soFar.get() <= CHANNELS && !patience.isOver())) {
            int first = id;
            switch (id % 64) {
                case 0 -> id += link.sendBatch(3, (index, frame) -> write(frame, first + index));
                case 1 -> id += claimed(link, id);
                default -> {
                    payload.putLong(0, id);
                    assertEquals(SendResult.SENT, link.send(Frame.of(1, id, payload), LONG));
                    id++;
                }
            }
        }
        payload.putLong(0, id);
        assertEquals(SendResult.SENT, link.send(Frame.of(LAST, id, payload), LONG));
        return id + 1;
    }

    private static boolean write(FrameWriter frame, int id) {
        boolean begun = frame.begin(1, 0, id, 8);
        if (begun) {
            frame.putLong(0, id);
        }
        return begun;
    }

    private static int claimed(ShmLink link, int id) throws InterruptedException {
        try (SlotWriter claim = link.awaitClaim(150, LONG)) {
            if (claim == null) {
                return 0;
            }
            claim.bytes().putLong(0, id);
            assertEquals(SendResult.SENT, claim.commit(1, 0, id));
            return 1;
        }
    }

    private int openAndReset(ShmLink link) {
        while (!over.get()) {
            try {
                link.openChannel().reset();
                soFar.incrementAndGet();
            } catch (IllegalStateException inUse) {
                if (!inUse.toString().contains("in use")) {
                    throw inUse;
                }
                // The answers to what was reset come with it.
                link.poll(frame -> {}, 1);
            }
        }
        return soFar.get();
    }

    /** A RESET of a channel that was opened before is answered. */
    private static void answer(ShmLink link) throws InterruptedException {
        ShmChannel accepted = link.acceptChannel(Duration.ZERO);
        while (accepted != null) {
            accepted = link.acceptChannel(Duration.ZERO);
        }
    }
}

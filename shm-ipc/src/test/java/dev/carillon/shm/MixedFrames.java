package dev.carillon.shm;

import static dev.carillon.shm.LinkPair.LONG;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.SplittableRandom;

/** Frames of mixed lengths, inline and in slots of all classes of the defaults. What one has follows from its number. */
final class MixedFrames {
    private static final int SHIFTS = 4_096;
    private static final int LONGEST = 256 * 1_024;
    private static final ByteBuffer PATTERN =
            ByteBuffer.allocate(SHIFTS + LONGEST).order(ByteOrder.nativeOrder());

    static {
        new SplittableRandom(5).nextBytes(PATTERN.array());
    }

    private MixedFrames() {}

    private static int length(long id) {
        SplittableRandom random = new SplittableRandom(id);
        int kind = random.nextInt(256);
        int most = kind < 160 ? 96 : kind < 247 ? 1_024 : kind < 255 ? 16_384 : LONGEST;
        // The largest of each class comes often.
        return random.nextInt(8) == 0 ? most : random.nextInt(most + 1);
    }

    static Frame frame(long id) {
        return Frame.of((int) (id % 0xff00), id, bytes(id));
    }

    private static ByteBuffer bytes(long id) {
        return PATTERN.slice((int) (id * 61 % SHIFTS), length(id));
    }

    static void check(Frame frame, long id) {
        if (frame.id() != id || frame.type() != id % 0xff00 || !frame.payload().equals(bytes(id))) {
            throw new AssertionError("frame " + id + " of " + length(id) + " bytes has come as " + frame);
        }
    }

    /** How many were sent: all, or fewer if the peer has gone. */
    static long send(ShmLink link, long from, long to) throws InterruptedException {
        long id = from;
        while (id < to) {
            SendResult result = link.send(frame(id), LONG);
            if (result != SendResult.SENT) {
                return id - from;
            }
            id++;
        }
        return id - from;
    }

    /** How many came: all, or fewer if the peer has gone. */
    static long receive(ShmLink link, long from, long to) throws InterruptedException {
        long[] next = {from};
        FrameHandler checking = frame -> check(frame, next[0]++);
        while (next[0] < to && link.awaitData(LONG)) {
            link.poll(checking, (int) Math.min(64, to - next[0]));
        }
        return next[0] - from;
    }

    /** Sends on a thread of its own, and receives the echo of all. */
    static void exchange(ShmLink link, long from, long to) throws Exception {
        Waiting<Long> sending = Waiting.on(() -> send(link, from, to));
        long received = receive(link, from, to);
        if (received != to - from || sending.result() != to - from) {
            throw new AssertionError(received + " of " + (to - from) + " frames came back over " + link);
        }
    }
}

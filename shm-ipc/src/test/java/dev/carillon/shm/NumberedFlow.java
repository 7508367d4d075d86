package dev.carillon.shm;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.Objects;
import java.util.SplittableRandom;

/** One direction: what goes through it is given by its seed. */
final class NumberedFlow {
    private static final Duration LIMIT = Duration.ofMinutes(2);

    /** The longest frame. */
    static final int LONGEST = 20_000;

    private static final int DATA = 1;

    /** The last frame of a direction: its id is the number of frames before it, its payload their sum. */
    private static final int END = 2;

    private final SplittableRandom random;
    private final ByteBuffer payload = ByteBuffer.allocate(LONGEST).order(ByteOrder.nativeOrder());
    private long count;
    private long sum;

    NumberedFlow(long seed) {
        random = new SplittableRandom(seed);
    }

    private int nextLength() {
        int kind = random.nextInt(16);
        int most = kind < 10 ? 96 : kind < 15 ? 1024 : LONGEST;
        return 8 + random.nextInt(most - 7);
    }

    private static long mark(long id, int length) {
        return id * 0x9E3779B97F4A7C15L + length;
    }

    /** The next frame, copied or written in place; the bytes at its end say which it is. */
    void sendOne(ShmLink link) throws InterruptedException {
        int length = nextLength();
        long mark = mark(count, length);
        if (count % 2 == 0) {
            payload.clear().limit(length).putLong(length - 8, mark);
            ensure(link.send(Frame.of(DATA, count, payload), LIMIT) == SendResult.SENT, "sent", this);
        } else {
            try (SlotWriter claim = Objects.requireNonNull(link.awaitClaim(length, LIMIT), "no room")) {
                claim.bytes().putLong(length - 8, mark);
                ensure(claim.commit(DATA, 0, count) == SendResult.SENT, "committed", this);
            }
        }
        add(mark);
    }

    private void add(long mark) {
        count++;
        sum = sum * 31 + mark;
    }

    void sendEnd(ShmLink link) throws InterruptedException {
        payload.clear().limit(8).putLong(0, sum);
        ensure(link.send(Frame.of(END, count, payload), LIMIT) == SendResult.SENT, "the end", this);
    }

    /** Whether there will be more. */
    boolean take(Frame frame) {
        ensure(frame.id() == count, "frame " + frame, this);
        if (frame.type() == END) {
            ensure(frame.getLong(0) == sum, "the sum is " + frame.getLong(0), this);
            return false;
        }
        int length = nextLength();
        ensure(frame.length() == length, "frame " + frame + " and not length=" + length, this);
        ensure(frame.getLong(length - 8) == mark(count, length), "bytes of " + frame, this);
        add(mark(count, length));
        return true;
    }

    /** Whether a frame that is kept has its bytes still. */
    static void ensureIntact(Frame kept) {
        if (kept.getLong(kept.length() - 8) != mark(kept.id(), kept.length())) {
            throw new IllegalStateException("the bytes of " + kept + " have changed since it was retained");
        }
    }

    void receiveAll(ShmLink link) throws InterruptedException {
        boolean[] more = {true};
        FrameHandler taking = frame -> more[0] = take(frame);
        while (more[0]) {
            ensure(link.awaitData(LIMIT), "a frame", this);
            link.poll(taking, 64);
        }
    }

    static void ensure(boolean fact, String what, NumberedFlow flow) {
        if (!fact) {
            throw new IllegalStateException(what + ": after " + flow.count + " frames");
        }
    }

    /** How many frames there were so far. */
    long count() {
        return count;
    }
}

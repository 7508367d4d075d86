package dev.carillon.shm.ring;

import dev.carillon.memory.OrderedBytes;
import dev.carillon.test.Interleavings;
import java.util.Arrays;

/**
 * A sender and a receiver of messages of two words, in batches. Both use the shipped classes, each of whose methods makes
 * one access to shared memory at most, so a step is a call, or a plain access to an entry. The messages are control frames,
 * which fill the ring to its last entry.
 */
final class RingWorld implements Interleavings.World {
    /** What is done wrong, if anything. */
    enum Plan {
        SHIPPED,
        PUBLISH_BEFORE_BYTES,
        WRITE_BEFORE_LOOK,
        TAIL_BEFORE_READING
    }

    private enum At {
        LOOK,
        FIRST_WORD,
        SECOND_WORD,
        MOVE,
        END
    }

    static final int CAPACITY = 4;
    static final RingPlace PLACE = Rings.place(CAPACITY);

    private static final int FIRST = EntryLayout.HEADER_BYTES;
    private static final int SECOND = FIRST + Long.BYTES;
    private static final int SENDER = 0;

    private final OrderedBytes bytes;
    private final RingSender sender;
    private final RingReceiver receiver;
    private final Plan plan;
    private final int messages;
    private final int batch;
    private final At[] at = {At.LOOK, At.LOOK};

    /** Per actor: messages done, messages of its batch, those of them that are done, and what it saw when it found none. */
    private final int[] done = new int[2];

    private final int[] claimed = new int[2];
    private final int[] within = new int[2];
    private final long[] stuckAt = new long[2];
    private final boolean[] stuck = new boolean[2];
    private long read;

    RingWorld(OrderedBytes bytes, Plan plan, long start, int messages, int batch) {
        this.bytes = bytes;
        this.plan = plan;
        this.messages = messages;
        this.batch = batch;
        for (int i = 0; i < CAPACITY; i++) {
            bytes.putLong(PLACE.offset(i) + FIRST, 0);
            bytes.putLong(PLACE.offset(i) + SECOND, 0);
        }
        PLACE.begin(bytes, start);
        sender = new RingSender(bytes, PLACE, start);
        receiver = new RingReceiver(bytes, PLACE, start);
    }

    @Override
    public int actors() {
        return at.length;
    }

    /** Who found nothing looks again when the other side's counter has changed. */
    @Override
    public boolean canStep(int actor) {
        return at[actor] != At.END && (!stuck[actor] || otherCounter(actor) != stuckAt[actor]);
    }

    private long otherCounter(int actor) {
        return bytes.getLong(actor == SENDER ? PLACE.tail() : PLACE.head());
    }

    @Override
    public void step(int actor) {
        at[actor] = actor == SENDER ? send() : receive();
    }

    private At look(int actor, int found) {
        stuckAt[actor] = otherCounter(actor);
        stuck[actor] = found == 0;
        claimed[actor] = Math.min(Math.min(found, batch), messages - done[actor]);
        within[actor] = 0;
        return stuck[actor] ? At.LOOK : At.FIRST_WORD;
    }

    private At send() {
        boolean early = plan == Plan.PUBLISH_BEFORE_BYTES;
        boolean blind = plan == Plan.WRITE_BEFORE_LOOK;
        int message = done[SENDER] + within[SENDER] + 1;
        return switch (at[SENDER]) {
            case LOOK -> {
                if (blind) {
                    bytes.putLong(sender.offset(0) + FIRST, message);
                }
                At next = look(SENDER, sender.freeForControl());
                yield early && next != At.LOOK ? At.MOVE : next;
            }
            case FIRST_WORD -> {
                // The early one has moved its head over the batch already.
                bytes.putLong(sender.offset(within[SENDER] - (early ? claimed[SENDER] : 0)) + FIRST, message);
                yield At.SECOND_WORD;
            }
            case SECOND_WORD -> {
                bytes.putLong(sender.offset(within[SENDER] - (early ? claimed[SENDER] : 0)) + SECOND, message);
                within[SENDER]++;
                yield within[SENDER] < claimed[SENDER] ? At.FIRST_WORD : early ? over(SENDER) : At.MOVE;
            }
            case MOVE -> {
                sender.publish(claimed[SENDER]);
                yield early ? At.FIRST_WORD : over(SENDER);
            }
            case END -> throw new IllegalStateException("ended");
        };
    }

    private At receive() {
        int receiving = 1;
        boolean early = plan == Plan.TAIL_BEFORE_READING;
        int ahead = within[receiving] - (early ? claimed[receiving] : 0);
        return switch (at[receiving]) {
            case LOOK -> {
                At next = look(receiving, receiver.available(batch));
                yield early && next != At.LOOK ? At.MOVE : next;
            }
            case FIRST_WORD -> {
                read = bytes.getLong(receiver.offset(ahead) + FIRST);
                yield At.SECOND_WORD;
            }
            case SECOND_WORD -> {
                assertRead(read);
                assertRead(bytes.getLong(receiver.offset(ahead) + SECOND));
                within[receiving]++;
                yield within[receiving] < claimed[receiving] ? At.FIRST_WORD : early ? over(receiving) : At.MOVE;
            }
            case MOVE -> {
                receiver.release(claimed[receiving]);
                yield early ? At.FIRST_WORD : over(receiving);
            }
            case END -> throw new IllegalStateException("ended");
        };
    }

    private void assertRead(long word) {
        int message = done[1] + within[1] + 1;
        if (word != message) {
            throw new AssertionError("message " + message + " reads " + word);
        }
    }

    private At over(int actor) {
        done[actor] += claimed[actor];
        return done[actor] == messages ? At.END : At.LOOK;
    }

    @Override
    public void verifyEnd() {
        if (done[0] != messages || done[1] != messages) {
            throw new AssertionError("stuck: sent and received " + Arrays.toString(done));
        }
    }

    @Override
    public String state() {
        StringBuilder entries = new StringBuilder();
        for (int i = 0; i < CAPACITY; i++) {
            entries.append(bytes.getLong(PLACE.offset(i) + FIRST)).append(' ');
            entries.append(bytes.getLong(PLACE.offset(i) + SECOND)).append(' ');
        }
        return entries
                + Arrays.toString(at)
                + Arrays.toString(done)
                + Arrays.toString(claimed)
                + Arrays.toString(within)
                + Arrays.toString(stuck)
                + Arrays.toString(stuckAt)
                + read
                + sender
                + receiver;
    }
}
